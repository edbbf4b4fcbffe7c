/** Opens the API's port, and notes one that was picked. */
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { networkInterfaces } from 'node:os';
import type { Readable } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import type { HomePaths } from '../contract/home.ts';
import { explainListening, serverAddress } from './server-port.ts';
import { refuseAddress, refuseUnparsed } from './unparsed-request.ts';

export interface Listening {
  port: number;
  /** Of the address that is one more; null where there is none. */
  remoteUrl: string | null;
  close(): Promise<void>;
}

type Fetch = (request: Request, env: { incoming: Readable }) => Response | Promise<Response>;

/** On loopback always, as the agents of this machine are there; `address` may be one more, or all. */
export async function listen(
  fetch: Fetch,
  { port, address }: { port: number; address: string },
  paths: HomePaths,
): Promise<Listening> {
  const first = await listenAt(
    fetch,
    { port, address: isEvery(address) ? address : serverAddress },
    paths,
  );
  if (port === 0) writeFileSync(paths.portFile, String(first.port));
  const isMore = address !== serverAddress;
  const remoteUrl = isMore ? `http://${written(address, first.port)}` : null;
  if (!isMore || isEvery(address)) return { ...first, remoteUrl };
  try {
    const more = await listenAt(fetch, { port: first.port, address }, paths);
    return {
      port: first.port,
      remoteUrl,
      close: async () => void (await Promise.all([first, more].map((one) => one.close()))),
    };
  } catch (error) {
    await first.close();
    throw error;
  }
}

async function listenAt(
  fetch: Fetch,
  { port, address }: { port: number; address: string },
  paths: HomePaths,
): Promise<Omit<Listening, 'remoteUrl'>> {
  const answer = getRequestListener(fetch, { errorHandler: refuseAddress });
  const server = createServer((request, response) => void answer(request, response));
  refuseUnparsed(server);
  // A SYNC call may last as long as the work does.
  server.requestTimeout = 0;
  server.keepAliveTimeout = 30_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(explainListening(error, { port, address }, paths)),
    );
    server.listen(port, address, resolve);
  });
  return {
    port: (server.address() as { port: number }).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        // Waiting calls and event streams end here; their clients come back by themselves.
        server.closeAllConnections();
      }),
  };
}

const written = (address: string, port: number) =>
  address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
const isEvery = (address: string) => address === '0.0.0.0' || address === '::';

/**
 * What a `Host` header may say beside loopback names: the address listened on, or each of this machine's
 * where that is all of them, and the names that the configuration gives.
 */
export function ownHosts(
  { port, address }: { port: number; address: string },
  names: string[],
): string[] {
  const interfaces = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  const addresses = isEvery(address) ? interfaces.map((one) => one.address) : [address];
  return [...addresses.map((one) => written(one, port)), ...names];
}
