/** In a process of its own: what Node takes for the user's folder is that of the whole process. */
import { execFileSync } from 'node:child_process';
import { userInfo } from 'node:os';
import { expect, test } from '@jest/globals';

const file = new URL('../../dist/client/home-folder.js', import.meta.url).href;

function foldersWith(HOME: string): string[] {
  const script = `import { homeFolder, userFolder } from ${JSON.stringify(file)};
process.stdout.write(JSON.stringify([userFolder(), homeFolder(null), homeFolder('/h')]));`;
  const args = ['--input-type=module', '-e', script];
  const said = execFileSync(process.execPath, args, { env: { HOME }, encoding: 'utf8' });
  return JSON.parse(said) as string[];
}

test("what is the user's own is in the user's folder, also where HOME is an empty string", () => {
  expect(foldersWith('/u')).toEqual(['/u', '/u/.offshoot', '/h']);
  const { homedir } = userInfo();
  expect(foldersWith('')).toEqual([homedir, `${homedir}/.offshoot`, '/h']);
});
