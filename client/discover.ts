/** Finds the running server of a home by what it has written there. */
import { readFileSync } from 'node:fs';
import { AppError } from '../contract/errors.ts';
import { homePaths } from '../contract/home.ts';
import { serverFileSchema, type ServerFile } from '../contract/records.ts';

export interface Discovered {
  url: string;
  token: string;
  server: ServerFile;
}

export function discover(home: string): Discovered {
  try {
    const text = readFileSync(homePaths(home).serverFile, 'utf8');
    const server = serverFileSchema.parse(JSON.parse(text));
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
