/** The server's side of search: asks the search thread, and tells it of what is new. */
import { AppError } from '../contract/errors.ts';
import { limits } from '../contract/limits.ts';
import type { Search, SearchHit, SearchRequest } from '../contract/search.ts';
import type { Store } from '../store/index.ts';
import { followTurns } from './follow-turns.ts';
import { builtThread, keepThread } from './keep-thread.ts';
import type { FromThread } from './messages.ts';

export interface RunningSearch {
  search: Search;
  stop(): Promise<void>;
}

interface Asked {
  request: SearchRequest;
  resolve(hits: SearchHit[]): void;
  reject(error: unknown): void;
  timer: NodeJS.Timeout;
  tries: number;
}

/** A search that so many threads have died of is not given to another. */
const triesMax = 2;

export function startSearch(options: {
  store: Store;
  database: string;
  index: string;
  /** Another one for tests; else the one that was built. */
  threadFile?: string;
  log: (message: string) => void;
}): RunningSearch {
  const { store, log } = options;
  const asked = new Map<number, Asked>();
  let lastId = 0;
  let heardAt = 0;
  let isStopped = false;
  const thread = keepThread(
    options.threadFile ?? builtThread(),
    { database: options.database, index: options.index },
    { message: hear, restarted, failed: (error) => log(`the search thread: ${String(error)}`) },
  );
  const unfollow = followTurns(store.changes, () => thread.say({ kind: 'index' }));
  // What has come while no server ran.
  thread.say({ kind: 'index' });

  function hear(message: FromThread): void {
    heardAt = performance.now();
    if (message.kind === 'hits') settle(message.id, (one) => one.resolve(message.hits));
    if (message.kind === 'failed') fail(message.id, message.message);
    if (message.kind === 'trouble') log(`the search index: ${message.message}`);
    if (message.kind === 'seen') forget(store, message.changes, log);
  }

  function restarted(): void {
    for (const [id, one] of asked) {
      one.tries += 1;
      if (one.tries >= triesMax) fail(id, 'its thread has died of it');
      else thread.say({ kind: 'search', id, request: one.request });
    }
    thread.say({ kind: 'index' });
  }

  function settle(id: number, how: (one: Asked) => void): void {
    const one = asked.get(id);
    if (one === undefined) return;
    asked.delete(id);
    clearTimeout(one.timer);
    how(one);
  }

  function fail(id: number, why: string): void {
    settle(id, (one) => one.reject(unavailable(why)));
  }

  function outOfTime(id: number): void {
    const isSilent = performance.now() - heardAt > limits.searchWaitMs / 2;
    fail(id, isSilent ? 'its thread is silent' : 'its index is being made anew');
    if (isSilent) thread.giveUp();
  }

  return {
    search: (request) =>
      new Promise((resolve, reject) => {
        if (isStopped) return reject(unavailable('the server is being stopped'));
        const id = (lastId += 1);
        const timer = setTimeout(() => outOfTime(id), limits.searchWaitMs);
        asked.set(id, { request, resolve, reject, timer, tries: 0 });
        thread.say({ kind: 'search', id, request });
      }),
    async stop() {
      isStopped = true;
      unfollow();
      for (const id of [...asked.keys()]) fail(id, 'the server is being stopped');
      await thread.end();
    },
  };
}

/** What the index has followed need not be kept in the store. */
function forget(store: Store, changes: number, log: (message: string) => void): void {
  store
    .write((tx) => tx.db.run('DELETE FROM search_changes WHERE n <= :changes', { changes }))
    .catch((error: unknown) =>
      log(`what the search index has followed is still kept: ${String(error)}`),
    );
}

const unavailable = (why: string) =>
  new AppError('search_unavailable', `The search does not answer: ${why}.`, {
    hint: 'Try again in a minute. What sessions say is kept all the same.',
  });
