/**
 * The server's own look into the home's spools, when it starts and from then on: a program that keeps a hook may have
 * ended, and then no hook of its own comes that would send what waits.
 */
import { readFileSync } from 'node:fs';
import { openHookSpool, type HookSpool } from '../../client/hook-spool.ts';
import type { HookServer } from '../../client/post-hook.ts';
import type { HomePaths } from '../../contract/home.ts';
import { limits } from '../../contract/limits.ts';
import { hookSpoolsOf } from './hook-spools.ts';
import { sendSpooled, sendUnsettled, type Sending } from './send-spooled.ts';

interface Looking {
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
}: Looking): () => void {
  const over = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  /** Once a start: what waits may wait for days. No more than there are sessions of which something does, and troubles. */
  const told = new Set<string>();
  const tellOnce = (message: string) => {
    if (told.has(message)) return;
    told.add(message);
    log(message);
  };
  const onUnsettled = (why: string) =>
    tellOnce(`hooks are kept until it is settled whose they are: ${why}`);
  const look = async () => {
    // In the order in which they were kept, spool by spool, the home's own first.
    for (const folder of hookSpoolsOf(paths)) {
      const spool = openHookSpool(folder);
      const unsettled = spool.unsettled();
      // Read before what waits is sent, as a spool that is empty says nothing of itself any more.
      const meant = spool.server() ?? unsettled.server();
      const server = folder === paths.ownHookSpool ? () => ownServer(paths, url) : () => meant;
      await trying(folder, spool, server, (to) => sendSpooled(spool, to));
      await trying(folder, unsettled, server, (to) => sendUnsettled(unsettled, to, onUnsettled));
    }
    if (!over.signal.aborted) timer = setTimeout(() => void look(), everyMs).unref();
  };
  /** Trouble with one keeps nothing back in the others. */
  async function trying(
    folder: string,
    spool: HookSpool,
    serverOf: () => HookServer | null,
    send: (to: Sending) => Promise<boolean>,
  ): Promise<void> {
    try {
      if (over.signal.aborted || spool.names().length === 0) return;
      const server = serverOf();
      // What was meant for another server waits for a hook of its own.
      if (server === null || !['', url].includes(server.url)) return;
      const onAside = (why: string) =>
        log(`hooks that were kept in ${folder} are set aside: ${why}`);
      await send({
        ...{ server: { ...server, url }, signal: over.signal },
        ...{ isServer: true, onAside },
      });
    } catch (error) {
      tellOnce(`hooks that were kept in ${folder}: ${String(error)}`);
    }
  }
  void look();
  return () => {
    over.abort();
    clearTimeout(timer);
  };
}

const ownServer = ({ token }: HomePaths, url: string): HookServer => ({
  url,
  token: readFileSync(token, 'utf8').trim(),
});
