/** leanspec 27 and 30, and §6 of the design: what a child is told, and what it is not. */
import { realpathSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import type { RunSpec } from '../../contract/run.ts';
import { nodeRunner, run, specOf, withRoom, type Room } from './run-fixture.ts';

const hostEnv = {
  PATH: process.env['PATH'],
  HOME: '/home/somebody',
  LC_ALL: 'C.UTF-8',
  SOME_SECRET: 'do not tell',
  OFFSHOOT_TOKEN: "the host's own",
  AGENT_SESSION_ID: "the host's own",
  GIVEN: 'from the host',
};

interface Dump {
  env: Record<string, string>;
  args: string[];
  cwd: string;
  context: Record<string, unknown>;
  contextMode: string;
}

async function dump(room: Room, spec: RunSpec): Promise<Dump> {
  const { outcome } = await run(room, spec, { hostEnv });
  expect(outcome).toMatchObject({ kind: 'succeeded' });
  return JSON.parse(outcome.content!) as Dump;
}

test('a child sees the allowed variables of the host, and no others', async () => {
  await withRoom(async (room) => {
    const { env } = await dump(room, specOf(room, nodeRunner('dump', [])));
    expect(Object.keys(env).sort()).toEqual([
      'AGENT_SESSION_ID',
      'HOME',
      'LC_ALL',
      'OFFSHOOT_CONTEXT',
      'OFFSHOOT_INVOCATION_ID',
      'OFFSHOOT_RUN',
      'OFFSHOOT_TOKEN',
      'OFFSHOOT_TURN',
      'OFFSHOOT_URL',
      'PATH',
    ]);
    expect(env).toMatchObject({
      AGENT_SESSION_ID: 'sub:sub_1',
      OFFSHOOT_TOKEN: 'off_token',
      OFFSHOOT_URL: 'http://127.0.0.1:1',
      OFFSHOOT_TURN: '1',
      OFFSHOOT_INVOCATION_ID: 'sub_1',
      OFFSHOOT_RUN: room.marker,
      HOME: '/home/somebody',
    });
  });
});

test("the caller's values beat the runner's, and neither beats Offshoot's own", async () => {
  await withRoom(async (room) => {
    const runner = nodeRunner('dump', [], {
      env: { A: 'runner', B: 'runner', OFFSHOOT_TOKEN: 'stolen', HOME: '/elsewhere' },
    });
    const asked = {
      B: 'caller',
      AGENT_SESSION_ID: 'somebody else',
      OFFSHOOT_SPEC_ID: 'forged',
      OFFSHOOT_PROMPT_FILE: '/forged',
      C: 'a ${GIVEN} value is left as it is',
    };
    const { env } = await dump(room, specOf(room, runner, { env: asked }));
    expect(env).toMatchObject({
      A: 'runner',
      B: 'caller',
      C: 'a ${GIVEN} value is left as it is',
      HOME: '/elsewhere',
      OFFSHOOT_TOKEN: 'off_token',
      AGENT_SESSION_ID: 'sub:sub_1',
    });
    expect(env).not.toHaveProperty('OFFSHOOT_SPEC_ID');
    expect(env).not.toHaveProperty('OFFSHOOT_PROMPT_FILE');
  });
});

test('placeholders are filled in env; in arguments only those that are ours', async () => {
  await withRoom(async (room) => {
    const args = ['--session=${AGENT_SESSION_ID}', '${OFFSHOOT_SPEC_ID}', 'echo ${GIVEN} $HOME'];
    const runner = nodeRunner('dump', args, {
      env: { HEADER: 'X: ${AGENT_SESSION_ID}', FROM_HOST: '<${GIVEN}>' },
    });
    const seen = await dump(room, specOf(room, runner, { specId: 'spec-7' }));
    expect(seen.args).toEqual(['--session=sub:sub_1', 'spec-7', 'echo ${GIVEN} $HOME']);
    expect(seen.env).toMatchObject({
      HEADER: 'X: sub:sub_1',
      FROM_HOST: '<from the host>',
      OFFSHOOT_SPEC_ID: 'spec-7',
    });
  });
});

test.each([
  ['env', { env: { KEY: '${NOBODY_KNOWS}' } }, '${NOBODY_KNOWS} in runners.fixture.env.KEY'],
  ['env', { env: { KEY: '${constructor}' } }, '${constructor}'],
  ['args', { args: ['${OFFSHOOT_SPEC_ID}'] }, '${OFFSHOOT_SPEC_ID} in runners.fixture.args[0]'],
])('a placeholder without a value in %s starts nothing', async (_where, change, named) => {
  await withRoom(async (room) => {
    const spawned: number[] = [];
    const io = { hostEnv, onSpawn: (pid: number) => void spawned.push(pid) };
    const { outcome } = await run(room, specOf(room, nodeRunner('dump', [], change)), io);
    expect(outcome).toMatchObject({ kind: 'failed', errorCode: 'unresolved_placeholder' });
    expect(outcome.errorHint).toMatch(/^Set it in the environment .*\.$/);
    expect(outcome.error).toContain(named);
    expect(spawned).toEqual([]);
  });
});

test('a child works in its workspace and finds its context in a file of its own', async () => {
  await withRoom(async (room) => {
    const files = [`${room.workspace}/a.txt`];
    const spec = specOf(room, nodeRunner('dump', []), {
      ...{ turn: 3, specId: 'spec-7', files },
      inheritedContext: 'what the parent knew',
    });
    const seen = await dump(room, spec);
    expect(seen.cwd).toBe(realpathSync(room.workspace));
    expect(seen.contextMode).toBe('600');
    expect(seen.context).toEqual({
      version: 1,
      invocationId: 'sub_1',
      sessionKey: 'sub:sub_1',
      agentId: 'default',
      parentSessionId: 'parent-session',
      rootSessionId: 'root-session',
      depth: 1,
      turn: 3,
      workspacePath: room.workspace,
      specId: 'spec-7',
      files,
      inheritedContext: 'what the parent knew',
    });
  });
});
