/** leanspec 24 and part of 5: which runners there are, found without executing anything. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { configSchema } from '../../contract/config.ts';
import { findRunner, listRunners } from '../../runners/index.ts';
import { withRoom, type Room } from './run-fixture.ts';

function set(room: Room) {
  const bin = join(room.workspace, 'bin');
  mkdirSync(bin);
  // Whoever runs it leaves a trace.
  writeFileSync(join(bin, 'lint'), `#!/bin/sh\ntouch ${room.workspace}/was-run\n`, { mode: 0o755 });
  writeFileSync(join(bin, 'plain'), 'text', { mode: 0o644 });
  mkdirSync(join(bin, 'folder'));
  const demoEntry = join(room.workspace, 'demo.js');
  writeFileSync(demoEntry, '');
  const command = (name: string, more = {}) => ({
    kind: 'command' as const,
    command: name,
    ...more,
  });
  const config = configSchema.parse({
    runners: {
      lint: command('lint'),
      here: command(join(bin, 'lint'), { turns: true, onLost: 'rerun' }),
      local: command('./scripts/agent.sh'),
      gone: command('no-such-program'),
      plain: command(join(bin, 'plain')),
      folder: command('folder'),
      below: command(join(bin, 'lint', 'agent')),
      'own-path': command('lint', { env: { PATH: `/nowhere:${bin}` } }),
    },
  });
  return { config, lookUp: { path: `/nowhere:${bin}`, hostEnv: { KEY: 'k' }, demoEntry }, bin };
}

test('the built-in runner is listed first, then the configured, each with what is missing', async () => {
  await withRoom(async (room) => {
    const { config, lookUp, bin } = set(room);
    const listed = listRunners(config, lookUp);
    expect(listed.map(({ id, available }) => [id, available])).toEqual([
      ['demo', true],
      ['lint', true],
      ['here', true],
      ['local', true],
      ['gone', false],
      ['plain', false],
      ['folder', false],
      ['below', false],
      ['own-path', true],
    ]);
    const reason = (id: string) => listed.find((runner) => runner.id === id)!.reason;
    expect(reason('demo')).toBeNull();
    expect(reason('local')).toContain('workspace');
    expect(reason('gone')).toMatch(
      /^.+ is not on the PATH of the runner host \(.+\): install it, or give runners\.gone\.command/,
    );
    expect(reason('gone')).toContain('(2 folders; `echo $PATH` where `offshoot up` is started');
    expect(reason('gone')).not.toContain(bin);
    expect(reason('plain')).toContain('chmod +x');
    // There is a file in the place of its folder.
    expect(reason('below')).toContain('lint/agent is not there: correct runners.below.command');
    expect(listed[2]).toMatchObject({ command: join(bin, 'lint'), turns: true, onLost: 'rerun' });
    expect(() => chmodSync(join(room.workspace, 'was-run'), 0o600)).toThrow('ENOENT');
  });
});

test('a PATH without the program makes it unavailable, and a missing build the demo', async () => {
  await withRoom(async (room) => {
    const { config } = set(room);
    const listed = listRunners(config, {
      path: '',
      hostEnv: {},
      demoEntry: '/no/such/main.js',
    });
    expect(listed[0]).toMatchObject({ id: 'demo', available: false });
    expect(listed[0]!.reason).toContain('npm run build');
    expect(listed[1]).toMatchObject({ id: 'lint', available: false });
  });
});

test('a runner is found by its id with every default filled in, or not at all', async () => {
  await withRoom(async (room) => {
    const { config, lookUp } = set(room);
    expect(findRunner(config, 'lint', lookUp)).toEqual({
      id: 'lint',
      kind: 'command',
      command: 'lint',
      args: [],
      env: {},
      promptVia: 'stdin',
      result: 'text',
      resultPath: null,
      turns: false,
      onLost: 'fail',
      timeoutSeconds: 1800,
    });
    expect(findRunner(config, 'demo', lookUp)).toMatchObject({
      command: process.execPath,
      args: [lookUp.demoEntry],
      turns: true,
    });
    expect(findRunner(config, 'nobody', lookUp)).toBeNull();
    expect(findRunner(config, 'constructor', lookUp)).toBeNull();
  });
});

test('a runner whose `env` names a variable that the host does not have is not ready, by name', async () => {
  await withRoom(async (room) => {
    const { lookUp } = set(room);
    const env = { A: '${KEY}', B: '${OFFSHOOT_URL}', C: 'x ${NOT_SET}' };
    const runner = { kind: 'command', command: 'lint' };
    const config = configSchema.parse({
      runners: { bad: { ...runner, env }, good: { ...runner, env: { A: '${KEY}' } } },
    });
    const [, bad, good] = listRunners(config, lookUp);
    expect(bad).toMatchObject({
      available: false,
      reason:
        '${NOT_SET} in runners.bad.env.C has no value: set NOT_SET where `offshoot up` is started, and start it again',
    });
    expect(good).toMatchObject({ available: true, reason: null });
  });
});

test('every reason why a runner is not ready is told at once', async () => {
  await withRoom(async (room) => {
    const { lookUp } = set(room);
    const env = { A: '${ONE} ${TWO} ${ONE}', B: '${ONE}', PATH: '/nowhere' };
    const gone = { kind: 'command', command: 'no-such-program', env };
    const [, told] = listRunners(configSchema.parse({ runners: { gone } }), lookUp);
    expect(told).toMatchObject({
      available: false,
      reason:
        'no-such-program is not on the PATH in runners.gone.env (1 folder): install it, or give runners.gone.command its absolute path; ' +
        '${ONE} in runners.gone.env.A, ${TWO} in runners.gone.env.A, ${ONE} in runners.gone.env.B have no value: ' +
        'set ONE, TWO where `offshoot up` is started, and start it again',
    });
  });
});

test("a configured runner of the built-in's name takes its place", async () => {
  await withRoom(async (room) => {
    const { lookUp } = set(room);
    const config = configSchema.parse({
      runners: { a: { kind: 'command', command: 'x' }, demo: { kind: 'command', command: 'lint' } },
    });
    expect(listRunners(config, lookUp).map(({ id, command }) => [id, command])).toEqual([
      ['demo', 'lint'],
      ['a', 'x'],
    ]);
  });
});
