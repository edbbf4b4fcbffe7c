import { execFileSync } from 'node:child_process';
import { userInfo } from 'node:os';
import { expect, test } from '@jest/globals';

const file = new URL('../../scripts/schemathesis.mjs', import.meta.url).href;

function folderWith(env: Record<string, string>): string {
  const script = `import { schemathesisFolder } from ${JSON.stringify(file)};
process.stdout.write(schemathesisFolder());`;
  const { PATH } = process.env;
  return execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    env: { PATH, ...env },
    encoding: 'utf8',
  });
}

test("the API's fuzzer lies in the user's cache, also where HOME is an empty string", () => {
  expect(folderWith({ HOME: '/u' })).toMatch(/^\/u\/\.cache\/offshoot\/schemathesis-\w{12}$/);
  expect(folderWith({ HOME: '', XDG_CACHE_HOME: '' })).toContain(`${userInfo().homedir}/.cache/`);
  expect(folderWith({ HOME: '', XDG_CACHE_HOME: '/c' })).toMatch(/^\/c\/offshoot\/schemathesis-/);
});
