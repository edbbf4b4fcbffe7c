import { createServer } from 'node:net';

/** The system gives out ports at random: by then it has given another one, if there is any. */
const TRIES_MAX = 20;

/**
 * The wanted port if nothing listens on it, else any free one; never the `other`, on which nothing may
 * listen yet, but will. `take` finds whether a port can be had, 0 being any.
 */
export async function pickPort(
  host: string,
  wanted: number | null,
  other: number | null,
  take = takePort,
): Promise<number> {
  if (wanted !== null && wanted !== other) {
    const kept = await take(host, wanted);
    if (kept !== null) return kept;
  }
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const any = await take(host, 0);
    if (any !== null && any !== other) return any;
  }
  throw new Error(`no free port on ${host}`);
}

function takePort(host: string, port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen(port, host, () => {
      const address = server.address();
      const picked = typeof address === 'object' && address !== null ? address.port : null;
      server.close(() => resolve(picked));
    });
  });
}
