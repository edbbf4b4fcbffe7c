/** Finds the running server of a home by what it has written there. */
import { readFileSync } from 'node:fs';
import { AppError } from '../contract/errors.ts';
import type { ServerFile } from '../contract/records.ts';
import { readServerFile } from './server-file.ts';

export interface Discovered {
  url: string;
  token: string;
  server: ServerFile;
}

export function discover(home: string): Discovered {
  try {
    const server = readServerFile(home);
    return { url: server.url, token: readFileSync(server.tokenFile, 'utf8').trim(), server };
  } catch (cause) {
    throw new AppError('server_unavailable', `No server is running on ${home}${why(cause)}.`, {
      cause,
      hint: 'Start it with `offshoot up`.',
    });
  }
}

/** A file that is not there is the plain case and needs no more words. */
function why(cause: unknown): string {
  const code = (cause as NodeJS.ErrnoException).code;
  if (code === 'ENOENT') return '';
  return code === 'EACCES' ? ' that this user may read' : ': its server.json cannot be read';
}
