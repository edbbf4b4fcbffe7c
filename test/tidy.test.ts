/** Who may import whom, and what is banned. The table is the documentation; anything not listed fails. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { faultPoints } from '../faults/points.ts';
import { longFiles } from './support/longest-first.mjs';
import { checkPoints } from './tidy/check-points.ts';
import { checkSources, type ImportTable } from './tidy/check-sources.ts';
import { readSources } from './tidy/read-sources.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

const table: ImportTable = {
  contract: { values: [], packages: ['zod'] },
  domain: { values: ['contract'], packages: ['node:crypto'] },
  config: { values: ['contract'] },
  faults: { values: [], packages: [] },
  store: { values: ['contract', 'domain', 'faults'] },
  search: { values: ['contract', 'domain', 'store'] },
  backup: { values: ['contract', 'domain', 'engine', 'faults', 'store'] },
  // Of engine: how a process is told from another that has its number by now.
  runners: { values: ['contract', 'domain', 'faults', 'engine'] },
  // The demo agent is a program of its own: it speaks to Offshoot as any agent does.
  'runners/demo-agent': { values: ['contract', 'domain', 'client', 'runners'] },
  harnesses: { values: ['contract', 'domain'] },
  telemetry: { values: ['contract', 'domain', 'store'] },
  activities: { values: ['contract', 'domain', 'faults', 'store', 'runners', 'harnesses'] },
  workflows: {
    values: ['domain'],
    types: ['contract', 'activities'],
    packages: ['@temporalio/workflow', '@temporalio/common'],
  },
  operations: { values: ['contract', 'domain', 'faults', 'store', 'harnesses'] },
  worker: {
    values: ['contract', 'domain', 'faults', 'store', 'client', 'activities', 'workflows'],
  },
  api: { values: ['contract', 'domain', 'operations'] },
  mcp: { values: ['contract', 'domain', 'operations', 'client'] },
  client: { values: ['contract'] },
  cli: {
    values: [
      'contract',
      'domain',
      'config',
      'client',
      'engine',
      'launcher',
      'harnesses',
      'mcp',
      // Only where no server has the home; it takes the home for as long as it takes.
      'backup',
    ],
  },
  engine: { values: ['contract'] },
  launcher: { values: ['contract', 'engine', 'client', 'runners', 'api'] },
};

const required = [
  'README.md',
  'LICENSE',
  'AGENTS.md',
  'CHANGELOG.md',
  '.ci/run',
  'docs/adr',
].concat(
  ['architecture', 'glossary', 'conventions', 'performance', 'platforms', 'faults'].map(
    (name) => `docs/${name}.md`,
  ),
);

test('every file keeps to the import table and the bans', () => {
  expect(checkSources(readSources(root), table)).toEqual([]);
});

test('every fault point is passed somewhere in the code, and none that is not listed', () => {
  const listed = Object.values(faultPoints).flatMap(Object.keys);
  expect(checkPoints(readSources(root), listed)).toEqual([]);
});

test.each([
  ["reach('here');", []],
  ["reach(kind === 'a' ? 'here' : 'there');", ['there is passed in x.ts and not listed']],
  ['', ['here is passed nowhere']],
])('of the point "here", %j is told %j', (text, told) => {
  expect(checkPoints([{ path: 'x.ts', text }], ['here'])).toEqual(told);
});

test('the files that begin first are there, the longest before the others', () => {
  expect(Object.keys(longFiles).filter((path) => !existsSync(`${root}/${path}`))).toEqual([]);
  const seconds = Object.values(longFiles);
  expect(seconds).toEqual(seconds.toSorted((a, b) => b - a));
});

test('the files that a reader looks for are there', () => {
  expect(required.filter((path) => !existsSync(`${root}/${path}`))).toEqual([]);
  expect(readFileSync(`${root}/AGENTS.md`, 'utf8').split('\n').length).toBeLessThan(100);
});

test.each([
  ['api/x.ts', 'imports store/a.ts', "import { a } from '../store/a.ts';"],
  ['api/x.ts', 'imports types of store/a.ts', "import type { A } from '../store/a.ts';"],
  ['workflows/x.ts', 'imports activities/a.ts', "import { a } from '../activities/a.ts';"],
  ['workflows/x.ts', 'brings node:fs into the workflow', "import { readFile } from 'node:fs';"],
  ['contract/x.ts', 'imports domain/a.ts', "export { a } from '../domain/a.ts';"],
  ['contract/x.ts', 'imports hono', "import 'hono';"],
  ['store/x.ts', 'imports api/a.ts', "const a = await import('../api/a.ts');"],
  ['elsewhere/x.ts', 'has no row', ''],
  ['store/someThing.ts', 'kebab-case', ''],
  ['store/string-utils.ts', 'says nothing', ''],
  ['store/common/x.ts', 'says nothing', ''],
  ['store/x.ts', 'has an enum', 'export enum A {}'],
  ['store/x.ts', 'reads process.env', 'const a = process.env;'],
  ['store/x.ts', 'default export', 'export default 1;'],
  ['store/x.ts', 'lets a time limit be collected', 'const a = AbortSignal.any([]);'],
  ['store/x.ts', 'has LIMIT :x', "db.all('SELECT a FROM b LIMIT :limit', { limit })"],
  ['search/x.ts', 'has LIMIT :x', "db.all('SELECT a FROM b LIMIT 9 OFFSET ?', 3)"],
  ['store/x.ts', 'has 301 lines', 'a();\n'.repeat(301)],
])('%s is refused: %s', (path, message, text) => {
  const found = checkSources([{ path, text }], table);
  expect(found.filter((line) => line.startsWith(path) && line.includes(message))).not.toEqual([]);
});

test.each([
  [
    'workflows/x.ts',
    'types of its neighbours',
    "import type { A } from '../activities/a.ts';\nimport { type B } from '../contract/b.ts';",
  ],
  ['api/main.ts', 'the environment', "import { a } from '../store/a.ts';\nconst b = process.env;"],
  [
    'store/x.ts',
    'many comments',
    '// process.env is not read here\n/** Nor: enum A {} */\n'.repeat(301),
  ],
])('%s with %s is fine', (path, _, text) => {
  expect(checkSources([{ path, text }], table)).toEqual([]);
});
