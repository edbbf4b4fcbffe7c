import { fileURLToPath } from 'node:url';

export type EntryName = 'api' | 'worker' | 'launcher' | 'cli';

/** The built `main.js` of a folder, seen from the sources and from `dist/` alike. */
export function entryFile(name: EntryName): string {
  const here = new URL('.', import.meta.url);
  const dist = here.pathname.endsWith('/dist/launcher/') ? '../' : '../dist/';
  return fileURLToPath(new URL(`${dist}${name}/main.js`, here));
}
