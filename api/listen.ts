/** Opens the API's port, and notes one that was picked. */
import { writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import type { HomePaths } from '../contract/home.ts';
import { explainListening, serverAddress } from './server-port.ts';

export interface Listening {
  server: Server;
  port: number;
  close(): Promise<void>;
}

export async function listen(
  fetch: (request: Request) => Response | Promise<Response>,
  port: number,
  paths: HomePaths,
): Promise<Listening> {
  const server = createAdaptorServer({ fetch }) as Server;
  // A SYNC call may last as long as the work does.
  server.requestTimeout = 0;
  server.keepAliveTimeout = 30_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(explainListening(error, port, paths)),
    );
    server.listen(port, serverAddress, resolve);
  });
  const bound = (server.address() as { port: number }).port;
  if (port === 0) writeFileSync(paths.portFile, String(bound));
  return {
    server,
    port: bound,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        // Waiting calls and event streams end here; their clients come back by themselves.
        server.closeAllConnections();
      }),
  };
}
