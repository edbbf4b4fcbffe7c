/**
 * The server's own look into the home's spools, when it starts and from then on: a program that keeps a hook may have
 * ended, and then no hook of its own comes that would send what waits.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openHookSpool } from '../../client/hook-spool.ts';
import type { HookServer } from '../../client/post-hook.ts';
import type { HomePaths } from '../../contract/home.ts';
import { limits } from '../../contract/limits.ts';
import { sendSpooled, sendUnsettled } from './send-spooled.ts';

interface Sending {
  paths: HomePaths;
  /** The server's own. */
  url: string;
  log(message: string): void;
  everyMs?: number;
}

export function startSendingKept({
  paths,
  url,
  log,
  everyMs = limits.keptHooksEveryMs,
}: Sending): () => void {
  const over = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  /** Once a start: it may wait for days. No more than there are sessions of which something waits. */
  const told = new Set<string>();
  const look = async () => {
    // In the order in which they were kept, spool by spool, the home's own first.
    for (const folder of spoolsOf(paths)) {
      await sendFrom(folder).catch((error: unknown) => {
        log(`hooks that were kept in ${folder}: ${String(error)}`);
      });
    }
    if (!over.signal.aborted) timer = setTimeout(() => void look(), everyMs).unref();
  };
  async function sendFrom(folder: string): Promise<void> {
    const spool = openHookSpool(folder);
    const unsettled = spool.unsettled();
    if (over.signal.aborted || spool.names().length + unsettled.names().length === 0) return;
    const server =
      folder === paths.ownHookSpool
        ? ownServer(paths, url)
        : (spool.server() ?? unsettled.server());
    // What was meant for another server waits for a hook of its own.
    if (server === null || !['', url].includes(server.url)) return;
    const onLocked = (why: string) =>
      log(`hooks that were kept in ${folder} are set aside: ${why}`);
    const to = { ...server, url };
    if (spool.names().length > 0) await sendSpooled(spool, to, over.signal, onLocked);
    if (unsettled.names().length > 0) await sendUnsettled(unsettled, to, over.signal, onUnsettled);
  }
  function onUnsettled(why: string): void {
    if (told.has(why)) return;
    told.add(why);
    log(`hooks are kept until it is settled whose they are: ${why}`);
  }
  void look();
  return () => {
    over.abort();
    clearTimeout(timer);
  };
}

function spoolsOf({ hookSpools, ownHookSpool }: HomePaths): string[] {
  try {
    const found = readdirSync(hookSpools, { withFileTypes: true })
      .filter((one) => one.isDirectory())
      .map(({ name }) => join(hookSpools, name));
    return [ownHookSpool, ...found.filter((folder) => folder !== ownHookSpool)];
  } catch {
    // Nothing was ever kept.
    return [];
  }
}

const ownServer = ({ token }: HomePaths, url: string): HookServer => ({
  url,
  token: readFileSync(token, 'utf8').trim(),
});
