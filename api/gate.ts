/** What every request must pass before anything is read from it: where it was sent, and by whom. */
import type { Readable } from 'node:stream';
import type { Context, MiddlewareHandler } from 'hono';
import { AppError } from '../contract/errors.ts';
import { hints } from '../contract/hints.ts';
import { createVerifier, type TokenClaims } from '../domain/token.ts';
import type { ApiDeps } from './deps.ts';

export interface ApiEnv {
  /** Set where a socket brought the request; a test's needs none. */
  Bindings: { incoming?: Readable };
  Variables: { claims: TokenClaims };
}

/**
 * A web page can make a browser send requests to loopback under a name of its own (DNS rebinding), or
 * across origins. Both are told by headers that a page cannot forge.
 */
export function checkHost(deps: ApiDeps): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    const host = (c.req.header('host') ?? new URL(c.req.url).host).toLowerCase();
    if (!isLoopback(host) && !isOwn(host, deps.allowedHosts())) {
      throw new AppError('bad_host', `This server is not called ${JSON.stringify(host)}.`, {
        hint: 'Use the address in server.json, or add the name to server.names in the configuration.',
      });
    }
    const origin = c.req.header('origin');
    if (origin !== undefined && hostOfOrigin(origin) !== host) {
      throw new AppError('forbidden', 'Requests from pages of other origins are refused.', {
        hint: 'Call the API from a program, or from a page that this server has served.',
      });
    }
    await next();
  };
}

/** Lets in tokens of the given roles, and keeps their claims for the caller of the operation. */
export function checkToken(
  deps: ApiDeps,
  roles: readonly TokenClaims['role'][],
): MiddlewareHandler<ApiEnv> {
  const verify = createVerifier(deps.secret);
  return async (c, next) => {
    const claims = verify(bearerToken(c));
    if (!claims) {
      throw new AppError('unauthorized', 'A valid bearer token is needed.', {
        hint: hints.token.http,
      });
    }
    if (!deps.isHostWelcome(claims)) {
      throw new AppError('unauthorized', 'The token of this runner host was revoked.', {
        hint: 'Make a new one where the server runs: offshoot worker token <name>',
      });
    }
    if ('expiresAt' in claims && Date.parse(claims.expiresAt) <= Date.now()) {
      throw new AppError('unauthorized', `This token ended at ${claims.expiresAt}.`, {
        hint: 'Make a new one where the server runs: offshoot token create --role <role> --agent <id>',
      });
    }
    if (!roles.includes(claims.role)) {
      throw new AppError('forbidden', `A ${claims.role} token may not ask this.`, {
        hint: `Here a token of role ${roles.join(' or ')} is needed.`,
      });
    }
    c.set('claims', claims);
    await next();
  };
}

function bearerToken(c: Context): string {
  return /^bearer +(\S+) *$/i.exec(c.req.header('authorization') ?? '')?.[1] ?? '';
}

/** A name without a port stands for every port: a proxy before the server has one of its own. */
function isOwn(host: string, known: string[]): boolean {
  return known.some(
    (name) => name.toLowerCase() === host || name === host.replace(/:\d{1,5}$/, ''),
  );
}

/** Any port: a forwarded port is still this machine's, and a page cannot be named `localhost`. */
function isLoopback(host: string): boolean {
  const isNamed = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/.test(host);
  return isNamed && URL.canParse(`http://${host}`);
}

/** Null for `Origin: null` (sandboxed pages, files), which is nobody's own. */
function hostOfOrigin(origin: string): string | null {
  const match = /^https?:\/\/([^/]+)$/i.exec(origin);
  return match?.[1]?.toLowerCase() ?? null;
}
