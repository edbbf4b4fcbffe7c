/** `npm run check`: every check, none skipped because another one failed. `--all` adds the slow tests. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawnSync } from 'node:child_process';

const root = fileURLToPath(new URL('..', import.meta.url));
const isAll = process.argv.includes('--all');
const bin = (name) => join(root, 'node_modules/.bin', name);

const steps = [
  { title: 'build', command: process.execPath, args: [join(root, 'scripts/build.mjs')] },
  { title: 'types', command: bin('tsc'), args: ['-p', '.'] },
  { title: 'lint', command: bin('oxlint'), args: ['--deny-warnings'] },
  {
    title: 'format',
    command: bin('prettier'),
    args: ['--check', '--log-level', 'warn', '--cache', '--cache-strategy', 'content', '.'],
  },
  { title: 'dead code', command: bin('knip'), args: [] },
];

let passed = 0;
let failed = 0;
for (const { title, command, args } of steps) {
  const started = Date.now();
  const isGood = run(command, args);
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  console.log(`${isGood ? 'ok    ' : 'FAILED'} ${title} (${seconds} s)`);
  if (isGood) passed += 1;
  else failed += 1;
}
// Stacks and engines keep two cores busy two at a time; a third of the unit tests' time is waiting.
const runs = isAll ? [jest(['workflows', 'e2e'], 2), jest(['unit'], 4)] : [jest(['unit'], 4)];
let skipped = 0;
for (const tests of runs) {
  passed += tests.passed;
  failed += tests.failed;
  skipped += tests.skipped;
}
// The last line is read by `.ci/run`.
console.log(`${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`);
process.exitCode = failed === 0 ? 0 : 1;

function run(command, args) {
  return spawnSync(command, args, { cwd: root, stdio: 'inherit' }).status === 0;
}

/** A red exit without a red test (a process left behind, a file that does not load) counts as one failure. */
function jest(names, workers) {
  const folder = mkdtempSync(join(tmpdir(), 'offshoot-check-'));
  const json = join(folder, 'jest.json');
  const select = ['--selectProjects', ...names, '--maxWorkers', String(workers)];
  const isGood = run(bin('jest'), [...select, '--json', `--outputFile=${json}`]);
  const result = readResult(json);
  rmSync(folder, { recursive: true, force: true });
  const red = result.numFailedTests + result.numRuntimeErrorTestSuites;
  const most = isGood ? red : Math.max(red, 1);
  return { passed: result.numPassedTests, failed: most, skipped: result.numPendingTests };
}

function readResult(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return {
      numPassedTests: 0,
      numFailedTests: 0,
      numPendingTests: 0,
      numRuntimeErrorTestSuites: 0,
    };
  }
}
