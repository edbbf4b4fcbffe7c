/** Finds the running server of a home by what it has written there. */
import { readFileSync } from 'node:fs';
import { AppError } from '../contract/errors.ts';
import type { ServerFile } from '../contract/system-records.ts';
import { isLookedAfter } from './looked-after.ts';
import { readServerFile } from './server-file.ts';

export interface Discovered {
  url: string;
  token: string;
  server: ServerFile;
}

export function discover(home: string): Discovered {
  const server = serverOf(home);
  return { url: server.url, token: readToken(home, server.tokenFile), server };
}

/**
 * The server that is named, filled up from the home. A token that is named is never replaced by the home's, which is
 * the administrator's; and the home's goes to no other address.
 */
export function findServer(
  { url, token }: { url: string | null; token: string | null },
  home: string,
): { url: string; token: string; server: ServerFile | null } {
  if (url !== null && token !== null) return { url, token, server: null };
  // A server that is on its way is waited for; without one, what is wrong is the address that has no token.
  const found = url === null || isLookedAfter(home) ? discover(home) : discoverAny(home);
  if (found !== null && (url === null || isSame(url, found.url))) {
    return { ...found, token: token ?? found.token };
  }
  throw new AppError('bad_request', `A token is needed for ${url}.`, {
    hint: 'A token is sent only to the address that it belongs to: give both (OFFSHOOT_URL, OFFSHOOT_TOKEN), or no address.',
  });
}

function discoverAny(home: string): Discovered | null {
  try {
    return discover(home);
  } catch (error) {
    if (error instanceof NoServer) return null;
    throw error;
  }
}

const isSame = (one: string, other: string) =>
  one.replace(/\/+$/, '') === other.replace(/\/+$/, '');

/** What the home has written of its server is not there, or of no use. */
export class NoServer extends AppError {
  readonly home: string;
  /** None was started, or the one that was has ended. */
  readonly isGone: boolean;

  constructor(home: string, cause: unknown) {
    super('server_unavailable', `No server is running on ${home}${why(cause)}.`, {
      cause,
      hint: 'Start it with `offshoot up`.',
    });
    this.home = home;
    this.isGone = isMissing(cause);
  }
}

function serverOf(home: string): ServerFile {
  try {
    return readServerFile(home);
  } catch (cause) {
    throw new NoServer(home, cause);
  }
}

function readToken(home: string, tokenFile: string): string {
  try {
    return readFileSync(tokenFile, 'utf8').trim();
  } catch (cause) {
    const isGone = isMissing(cause);
    throw new AppError(
      'unauthorized',
      `The token for the server of ${home} ${isGone ? 'is missing' : 'cannot be read'}: ${tokenFile}.`,
      {
        cause,
        hint: isGone
          ? 'The server writes it again when it starts: `offshoot down`, then `offshoot up`.'
          : 'Only the user who started the server may read it.',
      },
    );
  }
}

/** A file that is not there is the plain case and needs no more words. */
function why(cause: unknown): string {
  if (isMissing(cause)) return '';
  return (cause as NodeJS.ErrnoException).code === 'EACCES'
    ? ' that this user may read'
    : ': its server.json cannot be read';
}

const isMissing = (cause: unknown) => (cause as NodeJS.ErrnoException).code === 'ENOENT';
