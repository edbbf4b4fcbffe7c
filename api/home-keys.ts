/** The home's secret and its administrator's token: made once, readable by their owner only. */
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { HomePaths } from '../contract/home.ts';
import { signToken, verifyToken } from '../domain/token.ts';

export function homeSecret(paths: HomePaths): string {
  const secret = keep(paths.secret, () => randomBytes(32).toString('base64url'));
  const token = keep(paths.token, () => signToken(secret, { role: 'admin' }));
  // Another secret than the token was signed with: the token is made anew, or nobody could get in.
  if (!verifyToken(secret, token)) write(paths.token, signToken(secret, { role: 'admin' }));
  return secret;
}

function keep(file: string, make: () => string): string {
  if (!existsSync(file)) write(file, make());
  chmodSync(file, 0o600);
  return readFileSync(file, 'utf8').trim();
}

function write(file: string, content: string): void {
  writeFileSync(file, `${content}\n`, { mode: 0o600, flush: true });
}
