import { existsSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { Outcome, RunSpec } from '../../contract/run.ts';
import { signToken } from '../../domain/token.ts';
import { demoRunner, runCommand } from '../../runners/index.ts';
import { hostToken, localize, withPlace, type Here } from '../../worker/host/elsewhere.ts';
import { withFolder } from '../support/folder.ts';

const token = signToken('secret', { role: 'host', hostId: 'box', tokenId: 't1' });

test('a token says for which host it was made; it comes from a private file or the environment', () =>
  withFolder(async (folder) => {
    const file = join(folder, 'token');
    writeFileSync(file, `${token}\n`, { mode: 0o600 });
    expect(hostToken({ file, env: null })).toEqual({ hostId: 'box', token });
    expect(hostToken({ file: null, env: token })).toEqual({ hostId: 'box', token });
    const open = join(folder, 'open');
    writeFileSync(open, token, { mode: 0o644 });
    expect(() => hostToken({ file: open, env: null })).toThrow(/others can read the token file/);
    for (const none of [join(folder, 'none'), join(file, 'below')]) {
      expect(() => hostToken({ file: none, env: token })).toThrow(
        expect.objectContaining({
          code: 'bad_request',
          message: `there is no token file ${none}`,
          hint: 'Name the file that holds it. Make one where the server runs: offshoot worker token <name>',
        }),
      );
    }
    expect(() => hostToken({ file: null, env: null })).toThrow(/no token was given/);
  }));

test.each([
  ['an administrator', signToken('secret', { role: 'admin' })],
  ['the host beside the server', signToken('secret', { role: 'host', hostId: 'local' })],
  ['nobody', 'off_%%%'],
  ['another program', 'sk-123'],
])('a token of %s is refused before anything is asked', (_, other) => {
  expect(() => hostToken({ file: null, env: other })).toThrow(/not the token of a runner host/);
});

const specOf = (workspacePath: string, more: Partial<RunSpec> = {}): RunSpec => ({
  invocationId: 'sub_1',
  runNo: 1,
  turn: 1,
  sessionKey: 'ses_1',
  agentId: 'default',
  parentSessionId: null,
  rootSessionId: 'ses_1',
  depth: 0,
  prompt: 'go',
  workspacePath,
  specId: null,
  files: [],
  inheritedContext: null,
  env: {},
  runner: { ...demoRunner('/server/demo.js'), id: 'tool', builtIn: undefined } as never,
  url: 'http://127.0.0.1:1',
  token: 'off_child',
  traceparent: null,
  ...more,
});
const hereIn = (folder: string): Here => ({
  hostId: 'box',
  url: 'http://10.0.0.1:8464',
  serverWorkFolder: '/server/home/work',
  workFolder: join(folder, 'work'),
  demoRunner: demoRunner('/box/demo.js'),
});

test('a folder of its own is made here; one that the caller named is looked for as it is', () =>
  withFolder(async (folder) => {
    const here = hereIn(folder);
    const files = ['/server/home/work/sub_1/a.txt', '/repo/b.txt'];
    const own = localize(specOf('/server/home/work/sub_1', { files }), here);
    expect(own).toMatchObject({
      workspacePath: join(folder, 'work/sub_1'),
      files: [join(folder, 'work/sub_1/a.txt'), '/repo/b.txt'],
      url: 'http://10.0.0.1:8464',
    });
    expect(existsSync(own.workspacePath)).toBe(true);
    expect(localize(specOf('/server/home/workshop'), here).workspacePath).toBe(
      '/server/home/workshop',
    );
  }));

test('the demo agent is the one of this machine; any other program is the one named', () =>
  withFolder(async (folder) => {
    const here = hereIn(folder);
    const demo = localize(specOf('/', { runner: demoRunner('/server/demo.js') }), here);
    expect(demo.runner.args).toEqual(['/box/demo.js']);
    expect(localize(specOf('/'), here).runner.args).toEqual(['/server/demo.js']);
  }));

test('what is missing on this machine is named with it', () =>
  withFolder(async (folder) => {
    const run = async (spec: RunSpec) =>
      withPlace(
        await runCommand(spec, {
          signal: new AbortController().signal,
          onEvent: () => {},
          runDir: folder,
          marker: 'home/box/sub_1/1',
          hostEnv: {},
          killGraceMs: 100,
        }),
        { hostId: 'box' },
      );
    const place = `on runner host box (${hostname()})`;
    expect(await run(specOf('/not/here'))).toMatchObject({
      errorCode: 'spawn_failed',
      error: `the workspace /not/here does not exist, ${place}`,
      errorHint: expect.stringContaining('workspaces'),
    });
    const { runner } = specOf('/');
    const missing = await run(specOf(folder, { runner: { ...runner, command: '/no/tool' } }));
    expect(missing).toMatchObject({
      errorCode: 'runner_missing',
      error: `the program /no/tool was not found, ${place}`,
    });
    const other: Outcome = { ...missing, errorCode: 'exit_nonzero' };
    expect(withPlace(other, { hostId: 'box' })).toEqual(other);
  }));
