import { createServer } from 'node:net';

/** The wanted port if nothing listens on it, else any free one. */
export async function pickPort(host: string, wanted: number | null): Promise<number> {
  if (wanted !== null) {
    const kept = await tryPort(host, wanted);
    if (kept !== null) return kept;
  }
  const any = await tryPort(host, 0);
  if (any === null) throw new Error(`no free port on ${host}`);
  return any;
}

function tryPort(host: string, port: number): Promise<number | null> {
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
