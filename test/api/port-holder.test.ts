import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { portHolder } from '../../api/port-holder.ts';
import { requireFreePort } from '../../api/server-port.ts';
import { homePaths } from '../../contract/home.ts';
import { withFolder } from '../support/folder.ts';

/** What is said of a port that a program with this script and this home in its environment has. */
async function refused(
  { script = '', home }: { script?: string; home: string },
  before: (pid: number) => void = () => {},
) {
  const listen = "require('node:net').createServer().listen(0, '127.0.0.1', function () {";
  const code = `${script}${listen} console.log(this.address().port) })`;
  const child = spawn(process.execPath, ['-e', code], {
    env: { ...process.env, OFFSHOOT_HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [port] = (await once(child.stdout, 'data')) as [Buffer];
    before(child.pid!);
    const own = homePaths(join(home, 'other'));
    return await requireFreePort(own, Number(port)).then(
      () => null,
      ({ message, hint }: { message: string; hint: string }) => ({ message, hint, pid: child.pid }),
    );
  } finally {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
}

function writeJson(file: string, content: object): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(content));
}

test('whoever has the port is named in one line that has an end', () =>
  withFolder(async (home) => {
    const script = '// long\n'.repeat(40);
    const { message, hint, pid } = (await refused({ script, home }))!;
    expect(message).toMatch(
      new RegExp(String.raw`^port \d+ is taken by \S+node -e // long // lon.*…, pid ${pid}$`),
    );
    expect(message.length).toBeLessThan(140);
    expect(hint).toBe(
      'End that program, or choose another port: offshoot up --port 0 picks a free one.',
    );
  }));

test('a file that is closed while the holder is looked for hides nobody', async () => {
  // Looking into a process opens one itself, which is gone when it is looked at: here before the port's own.
  const gap = openSync('/dev/null', 'r');
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  closeSync(gap);
  expect(portHolder((server.address() as AddressInfo).port).name).toMatch(`, pid ${process.pid}`);
  server.close();
});

test.each(['serverPidFile', 'engineFile'] as const)(
  'the stack of another home is told by that home, and how it is stopped: %s',
  (file) =>
    withFolder(async (folder) => {
      const home = join(folder, "the other's");
      const told = (await refused({ home }, (pid) => writeJson(homePaths(home)[file], { pid })))!;
      expect(told.message).toContain(`is taken by the Offshoot of ${home}, pid ${told.pid}`);
      const quoted = `'${folder}/the other'\\''s'`;
      expect(told.hint).toBe(
        `Choose another port: offshoot up --port 0 picks a free one. Or stop that one: OFFSHOOT_HOME=${quoted} offshoot down`,
      );
    }),
);

test('what only has the environment of a home, as its agents have, is no part of its stack', () =>
  withFolder(async (home) => {
    const { message } = (await refused({ home }, () =>
      writeJson(homePaths(home).serverPidFile, { pid: process.pid }),
    ))!;
    expect(message).not.toContain('Offshoot of');
  }));
