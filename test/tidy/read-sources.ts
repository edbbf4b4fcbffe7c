/** The source files of the project, and what each of them imports. */
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';

export interface Source {
  path: string;
  text: string;
}

export interface Import {
  /** A path from the root for a file of ours, else the package's name. */
  target: string;
  isOurs: boolean;
  isType: boolean;
}

const skipped = new Set(['node_modules', 'dist', 'docs', 'coverage']);

export function readSources(root: string, folder = root): Source[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name.startsWith('.') || skipped.has(entry.name)) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return readSources(root, path);
    if (!/\.(ts|mjs|sql)$/.test(entry.name)) return [];
    return [{ path: relative(root, path), text: readFileSync(path, 'utf8') }];
  });
}

const statement = /^(?:import|export)\s+(type\s)?([^;'"]*?\sfrom\s+)?['"]([^'"]+)['"]/gm;
const dynamic = /\bimport\(\s*['"]([^'"]+)['"]/g;

export function importsOf({ path, text }: Source): Import[] {
  const found = [
    ...[...text.matchAll(statement)].map((match) => ({
      isType: match[1] !== undefined || isTypesOnly(match[2] ?? ''),
      from: match[3] ?? '',
    })),
    ...[...text.matchAll(dynamic)].map((match) => ({ isType: false, from: match[1] ?? '' })),
  ];
  return found.map(({ isType, from }) => {
    const isOurs = from.startsWith('.');
    const target = isOurs ? normalize(join(dirname(path), from)) : from;
    return { target, isOurs, isType };
  });
}

/** `import { type A, type B } from` brings no value either. */
function isTypesOnly(clause: string): boolean {
  const names = /^\{([^}]*)\}\s+from\s+$/.exec(clause)?.[1]?.split(',') ?? [];
  const given = names.map((name) => name.trim()).filter((name) => name !== '');
  return given.length > 0 && given.every((name) => name.startsWith('type '));
}
