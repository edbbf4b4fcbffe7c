/** The search thread: the only one that has the index open. */
import { parentPort, workerData } from 'node:worker_threads';
import type { FromThread, ToThread } from './messages.ts';
import { createSearcher, type SearcherOptions } from './searcher.ts';
import { serve } from './serve.ts';

const port = parentPort!;
const hear = serve(
  (trouble) => createSearcher(workerData as SearcherOptions, trouble),
  (message: FromThread) => port.postMessage(message),
);
port.on('message', (message: ToThread) => {
  hear(message);
  if (message.kind === 'end') port.close();
});
