import { importsOf, type Import, type Source } from './read-sources.ts';

export type ImportTable = Record<
  string,
  { values: string[]; types?: string[]; packages?: string[] }
>;

const codeLinesMax = 300;
/** `main.ts` files and what stands around the code may import anything. */
const isFree = (path: string) =>
  /(^|\/)main\.ts$|^(test|bench|scripts|bin|demo)\/|^[^/]*$/.test(path);
const isTest = (path: string) => path.startsWith('test/');

/** One line per violation. */
export function checkSources(sources: Source[], table: ImportTable): string[] {
  return [
    ...sources.flatMap((source) => checkNames(source)),
    ...sources.flatMap((source) => checkText(source)),
    ...sources.filter(({ path }) => !isFree(path)).flatMap((source) => checkImports(source, table)),
    ...checkBundle(sources),
  ];
}

function checkNames({ path }: Source): string[] {
  const found: string[] = [];
  const isKebab = (name: string) => /^[a-z0-9]+(-[a-z0-9]+)*(\.(test|config))?\.[a-z]+$/.test(name);
  const name = path.split('/').at(-1) ?? '';
  if (!isKebab(name)) found.push(`${path}: the name is not in kebab-case`);
  if (!isTest(path) && /(^|[/-])(utils?|commons?|services?|helpers?)([-/.]|$)/.test(path)) {
    found.push(`${path}: the name says nothing (utils, common, service, helper)`);
  }
  return found;
}

function checkText({ path, text }: Source): string[] {
  if (!path.endsWith('.ts')) return [];
  const found: string[] = [];
  if (/^\s*(export\s+)?(const\s+)?(enum)\s/m.test(text)) found.push(`${path}: has an enum`);
  if (!isFree(path) && /\bprocess\.env\b/.test(withoutComments(text))) {
    found.push(`${path}: reads process.env, which is for main.ts`);
  }
  if (!isTest(path) && path !== 'contract/any-signal.ts' && /AbortSignal\.any\(/.test(text)) {
    found.push(`${path}: has AbortSignal.any, which lets a time limit be collected: anySignal`);
  }
  if (!isTest(path) && /\b(LIMIT|OFFSET)\s+[:?@]/.test(withoutComments(text))) {
    found.push(`${path}: has LIMIT :x, for which SQLite compiles it anew at each call: LIMIT +:x`);
  }
  if (!isTest(path) && /^export default\b/m.test(text)) found.push(`${path}: has a default export`);
  const lines = withoutComments(text)
    .split('\n')
    .filter((line) => line.trim() !== '').length;
  if (lines > codeLinesMax) found.push(`${path}: has ${lines} lines of code`);
  return found;
}

function withoutComments(text: string): string {
  return text.replace(/^\s*\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '');
}

function checkImports(source: Source, table: ImportTable): string[] {
  if (!source.path.endsWith('.ts')) return [];
  const own = folderOf(source.path, table);
  const row = table[own];
  if (row === undefined) return [`${source.path}: its folder has no row in the import table`];
  const isAllowed = ({ target, isOurs, isType }: Import) => {
    if (!isOurs) return row.packages === undefined || isType || row.packages.includes(target);
    const folder = folderOf(target, table);
    return folder === own || row.values.includes(folder) || (isType && row.types?.includes(folder));
  };
  return importsOf(source)
    .filter((one) => !isAllowed(one))
    .map(({ target, isType }) => `${source.path}: imports ${isType ? 'types of ' : ''}${target}`);
}

/** The longest row that the path lies in: a folder within a folder may have a row of its own. */
function folderOf(path: string, table: ImportTable): string {
  const rows = Object.keys(table).filter((row) => path.startsWith(`${row}/`));
  return rows.toSorted((a, b) => b.length - a.length)[0] ?? path.split('/')[0] ?? path;
}

/** What workflows pull in by value must run in their sandbox: no Node, no zod, no foreign package. */
function checkBundle(sources: Source[]): string[] {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const open = sources.filter(({ path }) => path.startsWith('workflows/'));
  const seen = new Set<Source>();
  const found: string[] = [];
  for (let source = open.pop(); source !== undefined; source = open.pop()) {
    if (seen.has(source)) continue;
    seen.add(source);
    for (const { target, isOurs, isType } of importsOf(source)) {
      const next = byPath.get(target);
      if (isType) continue;
      if (isOurs && next !== undefined) open.push(next);
      if (!isOurs && !/^@temporalio\/(workflow|common)$/.test(target)) {
        found.push(`${source.path}: brings ${target} into the workflow bundle`);
      }
    }
  }
  return found;
}
