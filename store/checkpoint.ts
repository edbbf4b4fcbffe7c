import { Worker } from 'node:worker_threads';

const MiB = 1024 * 1024;

export interface Checkpoints {
  /** Until the returned function is called no writer waits for a reader that takes its time. */
  hold(): () => void;
  stop(): Promise<void>;
}

/** What the WAL is given at once: twice what is in it when it is first moved. */
export const roomBytes = 8 * MiB;

/** Starts the checkpoint thread. */
export function startCheckpoints(file: string): Checkpoints {
  const thread = new Worker(new URL('./checkpoint-thread.mjs', import.meta.url), {
    workerData: {
      ...{ file, everyMs: 500, roomBytes },
      ...{ passiveBytes: 4 * MiB, restartBytes: 16 * MiB, waitBytes: 48 * MiB },
    },
  });
  thread.unref();
  // Without its thread the WAL grows and nothing else changes: not worth ending the server for.
  thread.on('error', () => {});
  const ended = new Promise<void>((resolve) => thread.once('exit', () => resolve()));
  return {
    hold() {
      thread.postMessage('hold');
      return () => thread.postMessage('release');
    },
    async stop() {
      // Nothing else may keep the process alive while it waits for this.
      thread.ref();
      thread.postMessage('end');
      await ended;
    },
  };
}
