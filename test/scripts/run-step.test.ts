/** The steps of setup, run by Node as they are: plain JavaScript that stands outside the build. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const stepFile = new URL('../../scripts/run-step.mjs', import.meta.url).href;

/** What one step of 2.3 s writes to a log or a terminal. */
function written(isTTY: boolean, work: string, remark = ''): string {
  const script = `import { tellStep } from ${JSON.stringify(stepFile)};
const out = { isTTY: ${isTTY}, write: (text) => process.stdout.write(text) };
const work = async () => { ${work} };
await tellStep({ title: 'npm ci', remark: '${remark}' }, work, out).catch((error) => out.write(error.message));`;
  const args = ['--input-type=module', '-e', script];
  return execFileSync(process.execPath, args, {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    encoding: 'utf8',
  });
}
const wait = 'await new Promise((resolve) => setTimeout(resolve, 2300));';

test('a step is one line with its seconds, in a log as on a terminal', () => {
  expect(written(false, wait)).toMatch(/^npm ci: \d s\n$/);
  const lines = written(true, wait, 'slow').split('\r\u001B[2K');
  expect(lines[0]).toBe('npm ci …');
  expect(lines).toContain('npm ci: 1 s so far (slow)');
  expect(lines.at(-1)).toMatch(/^npm ci: \d s\n$/);
});

test('one that may take long says in a log, too, that it has begun', () => {
  expect(written(false, '', 'slow')).toBe('npm ci …\nnpm ci: 0 s\n');
});

test('a step that fails leaves its error alone', () => {
  expect(written(false, "throw new Error('no network')")).toBe('no network');
});
