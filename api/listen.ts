/** Where the API listens: a fixed port, or one picked once for the home and kept, because children hold it. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import { AppError } from '../contract/errors.ts';
import type { HomePaths } from '../contract/home.ts';
import { portHolder } from './port-holder.ts';

export interface Listening {
  server: Server;
  port: number;
  close(): Promise<void>;
}

/** `asked` is what the command line says; null leaves it to the home, then to the configuration. */
export function choosePort(paths: HomePaths, asked: number | null, configured: number): number {
  const wanted = asked ?? keptPort(paths) ?? configured;
  return wanted === 0 ? (keptPort(paths) ?? 0) : wanted;
}

function keptPort(paths: HomePaths): number | null {
  if (!existsSync(paths.portFile)) return null;
  const port = Number(readFileSync(paths.portFile, 'utf8'));
  return Number.isInteger(port) && port > 0 && port < 65536 ? port : null;
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
    server.once('error', (error: NodeJS.ErrnoException) => reject(explain(error, port)));
    server.listen(port, '127.0.0.1', resolve);
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

function explain(error: NodeJS.ErrnoException, port: number): Error {
  if (error.code !== 'EADDRINUSE') return error;
  return new AppError('home_in_use', `port ${port} is taken by ${portHolder(port)}`, {
    cause: error,
    hint: 'End that program, or choose another port: offshoot up --port 0 picks a free one.',
  });
}
