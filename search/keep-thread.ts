/** Keeps the search thread up: one that has gone comes back, and is told of by `onStart`. */
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { FromThread, ToThread } from './messages.ts';
import type { SearcherOptions } from './searcher.ts';

const restartMs = 500;

export interface KeptThread {
  say(message: ToThread): void;
  /** It is not what it should be; another one comes. */
  giveUp(): void;
  end(): Promise<void>;
}

export function keepThread(
  file: string,
  workerData: SearcherOptions,
  hear: {
    message(message: FromThread): void;
    failed(error: unknown): void;
    /** Another one has come: what the one before was asked must be asked again. */
    restarted(): void;
  },
): KeptThread {
  let isEnding = false;
  let thread: Worker | null = start();

  function start(): Worker {
    const worker = new Worker(file, { workerData });
    worker.unref();
    worker.on('message', hear.message);
    worker.on('error', hear.failed);
    worker.once('exit', () => {
      thread = null;
      if (!isEnding) setTimeout(restart, restartMs).unref();
    });
    return worker;
  }

  function restart(): void {
    if (isEnding) return;
    thread = start();
    hear.restarted();
  }

  return {
    // While there is none, what is said is lost: it is said again when there is one.
    say: (message) => thread?.postMessage(message),
    giveUp: () => void thread?.terminate(),
    async end() {
      isEnding = true;
      const last = thread;
      if (last === null) return;
      const ended = new Promise<void>((resolve) => last.once('exit', () => resolve()));
      last.ref();
      last.postMessage({ kind: 'end' } satisfies ToThread);
      await ended;
    },
  };
}

/** A thread is started from what was built, seen from the sources and from `dist/` alike. */
export function builtThread(): string {
  const here = new URL('.', import.meta.url);
  const dist = here.pathname.endsWith('/dist/search/') ? './' : '../dist/search/';
  return fileURLToPath(new URL(`${dist}main.js`, here));
}
