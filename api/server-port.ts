/** Which port the API listens on: a fixed one, or one picked once for the home and kept, because children hold it. */
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { AppError } from '../contract/errors.ts';
import type { HomePaths } from '../contract/home.ts';
import { portHolder } from './port-holder.ts';

/** The agents of this machine are here. */
export const serverAddress = '127.0.0.1';

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

/** Asked before anything is started: what holds the port now will hold it at the next try, too. */
export async function requireFreePort(paths: HomePaths, port: number): Promise<void> {
  if (port === 0) return;
  await new Promise<void>((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error) =>
      reject(explainListening(error, { port, address: serverAddress }, paths)),
    );
    probe.listen(port, serverAddress, () => probe.close(() => resolve()));
  });
}

export function explainListening(
  error: NodeJS.ErrnoException,
  { port, address }: { port: number; address: string },
  paths: HomePaths,
): Error {
  if (error.code === 'EADDRNOTAVAIL') {
    return new AppError('config_invalid', `this machine has no address ${address}`, {
      cause: error,
      hint: 'Correct server.listen in the configuration.',
    });
  }
  if (error.code !== 'EADDRINUSE') return error;
  // A home that has picked a port once keeps it, so that 0 would choose the same one again.
  const other =
    keptPort(paths) === null
      ? 'offshoot up --port 0 picks a free one.'
      : 'offshoot up --port <port>.';
  const { name, home } = portHolder(port);
  const hint =
    home === null
      ? `End that program, or choose another port: ${other}`
      : `Choose another port: ${other} Or stop that one: OFFSHOOT_HOME=${inShell(home)} offshoot down`;
  return new AppError('home_in_use', `port ${port} is taken by ${name}`, { cause: error, hint });
}

const inShell = (word: string) =>
  /^[\w@%+:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
