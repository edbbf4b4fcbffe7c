/** Tokens are signed claims: nothing is stored, and only this home's secret makes them. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Permission, ScopedRole } from '../contract/words.ts';

/** For one agent, and where a project is named, for that alone. */
export interface ScopedClaims {
  role: ScopedRole;
  agentId: string;
  project: string | null;
  permissions: Permission[];
  expiresAt: string;
}

export type TokenClaims =
  | { role: 'admin' }
  /** A runner host: the store API and nothing else. One elsewhere holds a token that can be revoked. */
  | { role: 'host'; hostId: string; tokenId?: string }
  /** An agent we run: whatever it asks for belongs to its invocation. */
  | { role: 'child'; invocationId: string; agentId: string }
  | ScopedClaims;

export function signToken(secret: string, claims: TokenClaims): string {
  const body = Buffer.from(JSON.stringify(claims)).toString('base64url');
  return `off_${body}.${signature(secret, body)}`;
}

/** The claims, or null for anything that this secret has not signed. */
export function verifyToken(secret: string, token: string): TokenClaims | null {
  const [body, given, ...rest] = token.startsWith('off_') ? token.slice(4).split('.') : [];
  if (!body || !given || rest.length > 0) return null;
  const wanted = Buffer.from(signature(secret, body));
  const got = Buffer.from(given);
  if (wanted.length !== got.length || !timingSafeEqual(wanted, got)) return null;
  return JSON.parse(Buffer.from(body, 'base64url').toString()) as TokenClaims;
}

/** As many as there are callers at a time, and more. */
const knownMax = 1000;

/** The same for whoever asks again and again: a token that was good is looked up, in a twentieth of the time. */
export function createVerifier(secret: string): (token: string) => TokenClaims | null {
  const known = new Map<string, TokenClaims>();
  return (token) => {
    const before = known.get(token);
    if (before) return before;
    const claims = verifyToken(secret, token);
    if (claims === null) return null;
    if (known.size >= knownMax) known.clear();
    known.set(token, claims);
    return claims;
  };
}

/** What a token says of itself, to whoever holds it and cannot check it; null for anything else. */
export function readToken(token: string): TokenClaims | null {
  try {
    const body = token.startsWith('off_') ? token.slice(4).split('.')[0]! : '';
    return JSON.parse(Buffer.from(body, 'base64url').toString()) as TokenClaims;
  } catch {
    return null;
  }
}

function signature(secret: string, body: string): string {
  return createHmac('sha256', secret).update(body).digest('base64url');
}
