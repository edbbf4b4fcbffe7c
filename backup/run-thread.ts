import { Worker } from 'node:worker_threads';

/** Starts a thread for one piece of work, and answers what it says. */
export function runThread<T>(script: URL, workerData: object): Promise<T> {
  const thread = new Worker(script, { workerData });
  return new Promise((resolve, reject) => {
    thread.once('message', resolve);
    thread.once('error', reject);
    // After a message this changes nothing; without one, memory has run out.
    thread.once('exit', (code) => reject(new Error(`its thread ended with code ${code}`)));
  });
}
