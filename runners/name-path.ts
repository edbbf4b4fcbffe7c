/** The PATH that a program was looked for on, by whose it is and its size: whole, it is many lines long on many machines. */
import { delimiter } from 'node:path';

export interface SearchedPath {
  /** Undefined: it is not set. */
  path: string | undefined;
  /** Where its value comes from: the runner host's own environment, the configuration, or whoever asked. */
  from: 'host' | 'runner' | 'caller';
  runnerId: string;
}

export const foldersOf = (path: string): string[] =>
  path.split(delimiter).filter((folder) => folder !== '');

export function namePath({ path, from, runnerId }: SearchedPath, howToSee = ''): string {
  const names = {
    host: 'the PATH of the runner host',
    runner: `the PATH in runners.${runnerId}.env`,
    caller: 'the PATH in context.env',
  };
  return `${names[from]} (${path === undefined ? 'not set' : sizeOf(path)}${howToSee})`;
}

function sizeOf(path: string): string {
  const { length } = foldersOf(path);
  return `${length} ${length === 1 ? 'folder' : 'folders'}`;
}
