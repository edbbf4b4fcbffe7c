/** Which server a hook goes to, and where it waits for that server. */
import { createHash } from 'node:crypto';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openHookSpool, type HookSpool } from '../../client/hook-spool.ts';
import type { HookServer } from '../../client/post-hook.ts';
import { homePaths } from '../../contract/home.ts';
import type { HookEnvironment } from './hook-environment.ts';

export interface HookTarget {
  /** `null`: none is running. */
  server: HookServer | null;
  /** `null`: there is no home, so nothing can be kept. */
  spool: HookSpool | null;
}

export function findHookTarget({
  environment: { url, token },
  home,
}: {
  environment: HookEnvironment;
  home: string;
}): HookTarget {
  const paths = isFolder(home) ? homePaths(home) : null;
  if (token === null) {
    return { server: serverOf(home), spool: paths && openHookSpool(paths.ownHookSpool) };
  }
  // A token alone is for the home's server, whose own token would be the administrator's.
  const at = url ?? serverOf(home)?.url ?? null;
  const meant = { url: url ?? '', token };
  return {
    server: at === null ? null : { url: at, token },
    spool: paths && openHookSpool(join(paths.hookSpools, spoolOf(meant)), meant),
  };
}

/** What was meant for one token must not be sent with another's rights: it would become another agent's. */
function spoolOf({ url, token }: HookServer): string {
  return `hooks-${createHash('sha256').update(`${url}\n${token}`).digest('hex').slice(0, 16)}`;
}

/** As `client/discover.ts` finds it, without loading its schemas. */
function serverOf(home: string): HookServer | null {
  try {
    const { serverFile } = homePaths(home);
    const { url, tokenFile } = JSON.parse(readFileSync(serverFile, 'utf8')) as {
      url: string;
      tokenFile: string;
    };
    // In a copy of a home that is in use, it is the other home's server.
    if (realpathSync(dirname(tokenFile)) !== realpathSync(home)) return null;
    return { url, token: readFileSync(tokenFile, 'utf8').trim() };
  } catch {
    // None has started here, or half of what it left is gone: the next one that starts writes it anew.
    return null;
  }
}

/** A home that nobody may look at is none: its server may be there all the same. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
