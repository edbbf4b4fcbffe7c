/** The version in our package.json: one folder up from the sources, two from `dist/`. */
import { existsSync, readFileSync } from 'node:fs';

export function ownVersion(): string {
  const near = new URL('../package.json', import.meta.url);
  const file = existsSync(near) ? near : new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
