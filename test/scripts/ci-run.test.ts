/** What CI is told of a red run: by `.ci/run` of what `npm test` said, and by scripts/check.mjs of each step. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { writeProgram } from '../engine/fake-programs.ts';
import { withFolder } from '../support/folder.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A clone that has nothing but these files of ours. */
function copyTo(folder: string, ...files: string[]): void {
  for (const file of files) {
    mkdirSync(join(folder, file, '..'), { recursive: true });
    copyFileSync(join(root, file), join(folder, file));
  }
}

const lastLine = (text: string) => text.trimEnd().split('\n').at(-1);

test.each([
  ['a red check', ['FAILED lint (1.0 s)', '5 passed, 2 failed'], 1, 1, '5 passed, 2 failed'],
  ['an exit code without a red check', ['5 passed, 0 failed'], 1, 1, '5 passed, 1 failed'],
  ['a run that did not come to the checks', ['setup: no network'], 1, 1, '0 passed, 1 failed'],
  ['a run that says nothing', [], 0, 1, '0 passed, 1 failed'],
  ['a green run', ['7 passed, 0 failed, 3 skipped'], 0, 0, '7 passed, 0 failed, 3 skipped'],
])('CI: %s', async (_, lines, npmCode, code, summary) => {
  await withFolder(async (folder) => {
    copyTo(folder, '.ci/run');
    const bin = join(folder, 'bin');
    const said = lines.map((line) => `echo '${line}'`);
    // The tests are all that is run: nothing is mounted.
    writeProgram(
      join(bin, 'npm'),
      [`[ "$*" = test ] || exit 9`, ...said, `exit ${npmCode}`].join('\n'),
    );
    for (const name of ['mount', 'ip']) writeProgram(join(bin, name), 'exit 1');
    const env = { PATH: `${bin}:${process.env['PATH']}` };
    const ran = spawnSync('bash', [join(folder, '.ci/run')], { env, encoding: 'utf8' });
    expect([ran.status, lastLine(ran.stdout)]).toEqual([code, summary]);
  });
});

const green = { tsc: 0, oxlint: 0, prettier: 0, knip: 0 };
const tests = { numPassedTests: 10, numFailedTests: 0, numPendingTests: 0 };
const result = { ...tests, numRuntimeErrorTestSuites: 0 };

test('the checks: what all runs of the tests said is one number', async () => {
  await withFolder(async (folder) => {
    const ran = runChecks(
      folder,
      { codes: green, told: { ...result, numPendingTests: 1 } },
      '--all',
    );
    expect([ran.status, lastLine(ran.stdout)]).toEqual([0, '25 passed, 0 failed, 2 skipped']);
  });
});

interface Checks {
  codes: Record<string, number>;
  /** What jest writes down; null: nothing. */
  told: object | null;
  jestCode?: number;
}

function runChecks(folder: string, { codes, told, jestCode = 0 }: Checks, ...args: string[]) {
  copyTo(folder, 'scripts/check.mjs');
  writeProgram(join(folder, 'scripts/build.mjs'), '');
  const bin = join(folder, 'node_modules/.bin');
  for (const [name, exit] of Object.entries(codes)) writeProgram(join(bin, name), `exit ${exit}`);
  const write = `for arg; do case $arg in --outputFile=*) echo '${JSON.stringify(told)}' > "\${arg#*=}";; esac; done\n`;
  writeProgram(join(bin, 'jest'), `${told === null ? '' : write}exit ${jestCode}`);
  const check = join(folder, 'scripts/check.mjs');
  return spawnSync(process.execPath, [check, ...args], { encoding: 'utf8' });
}

test.each([
  ['every check is green', green, result, 0, 0, '15 passed, 0 failed'],
  ['two are red', { ...green, tsc: 1, knip: 1 }, result, 0, 1, '13 passed, 2 failed'],
  ['a test is red', green, { ...result, numFailedTests: 1 }, 1, 1, '15 passed, 1 failed'],
  [
    'a file does not load',
    green,
    { ...result, numRuntimeErrorTestSuites: 1 },
    1,
    1,
    '15 passed, 1 failed',
  ],
  ['a process is left behind', green, result, 1, 1, '15 passed, 1 failed'],
  ['jest says nothing', green, null, 1, 1, '5 passed, 1 failed'],
  [
    'some were skipped',
    green,
    { ...result, numPendingTests: 2 },
    0,
    0,
    '15 passed, 0 failed, 2 skipped',
  ],
])('the checks, when %s', async (_, codes, told, jestCode, code, summary) => {
  await withFolder(async (folder) => {
    const ran = runChecks(folder, { codes, told, jestCode });
    expect([ran.status, lastLine(ran.stdout)]).toEqual([code, summary]);
    for (const [name, title] of [
      ['tsc', 'types'],
      ['knip', 'dead code'],
    ] as const) {
      expect(ran.stdout).toContain(`${codes[name] === 0 ? 'ok    ' : 'FAILED'} ${title} (`);
    }
  });
});
