import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { limits } from '../../contract/limits.ts';
import { callerAs, refusal, withOperations, type Room } from './operations-fixture.ts';

const everything = (room: Room) =>
  ['sessions', 'subagent_sessions', 'outbox', 'turns', 'lineage'].map((table) => room.count(table));

async function writesNothing(room: Room, call: () => Promise<unknown>): Promise<string> {
  const before = everything(room);
  const code = await refusal(call());
  expect(everything(room)).toEqual(before);
  return code;
}

test('SYNC is what is meant where no mode is named, and every mode is kept with the parent', async () => {
  await withOperations(async (room) => {
    await room.ask('registerSession', { key: 'main' });
    const plain = await room.ask('runSubagent', { runnerId: 'talk', prompt: 'x', waitSeconds: 0 });
    expect(plain).toMatchObject({ executionMode: 'SYNC', status: 'pending', depth: 0 });
    expect(plain).toMatchObject({ parentSessionId: null, rootSessionId: plain.sessionKey });
    for (const executionMode of ['SYNC', 'ASYNC_POLL', 'ASYNC_CALLBACK'] as const) {
      const child = await room.start({ executionMode, parentSessionId: 'main' });
      expect(child).toMatchObject({ executionMode, parentSessionId: 'main', depth: 1 });
      expect(child).toMatchObject({ rootSessionId: 'main' });
    }
  });
});

test('a mode that does not exist is refused with the names of the three', async () => {
  await withOperations(async (room) => {
    const call = async () => room.start({ executionMode: 'LATER' as 'SYNC' });
    await expect(call()).rejects.toThrow('must be one of SYNC, ASYNC_POLL, ASYNC_CALLBACK');
  });
});

test('an unknown parent is refused, nothing is written, and the next request is served', async () => {
  await withOperations(async (room) => {
    const call = () => room.start({ parentSessionId: 'nobody' });
    expect(await writesNothing(room, call)).toBe('unknown_parent');
    expect((await room.start()).status).toBe('pending');
  });
});

test('ASYNC_CALLBACK without a parent is refused before anything is written, on disk too', async () => {
  await withOperations(async (room) => {
    const call = () =>
      room.start({ executionMode: 'ASYNC_CALLBACK', context: { env: { KEY: 'secret' } } });
    expect(await writesNothing(room, call)).toBe('parent_required');
    expect(readdirSync(room.deps.paths.secrets)).toEqual([]);
  });
});

test('the header names the parent where the request does not', async () => {
  await withOperations(async (room) => {
    await room.ask('registerSession', { key: 'one' });
    await room.ask('registerSession', { key: 'two' });
    const caller = callerAs({ claims: { role: 'admin' }, parentSessionId: 'one' });
    expect(await room.start({}, caller)).toMatchObject({ parentSessionId: 'one' });
    const named = await room.start({ parentSessionId: 'two' }, caller);
    expect(named).toMatchObject({ parentSessionId: 'two' });
  });
});

test('whatever a child token asks for belongs to its invocation, header or not', async () => {
  await withOperations(async (room) => {
    await room.ask('registerSession', { key: 'other' });
    const parent = await room.start();
    const caller = { ...room.child(parent.id), parentSessionId: 'other' };
    const child = await room.start({}, caller);
    expect(child.parentSessionId).toBe(parent.sessionKey);
    expect(room.row(child.id).owner_invocation_id).toBe(parent.id);
    expect(await refusal(room.start({ parentSessionId: 'other' }, caller))).toBe('forbidden');
    expect(await refusal(room.start({ agentId: 'other' }, caller))).toBe('forbidden');
  });
});

test('an unknown runner is refused with the names of those there are', async () => {
  await withOperations(async (room) => {
    const call = () => room.start({ runnerId: 'nope' });
    expect(await writesNothing(room, call)).toBe('unknown_runner');
    await expect(call()).rejects.toThrow('there are: talk, once, again, narrow');
  });
});

test('a runner of one turn is refused callbacks, because none could reach it', async () => {
  await withOperations(async (room) => {
    const parent = await room.start({ runnerId: 'once' });
    const caller = room.child(parent.id);
    const call = () => room.start({ executionMode: 'ASYNC_CALLBACK' }, caller);
    expect(await writesNothing(room, call)).toBe('runner_single_turn');
    await room.start({ executionMode: 'ASYNC_POLL' }, caller);
  });
});

test('nothing can be asked for by who has ended or is being cancelled', async () => {
  await withOperations(async (room) => {
    const ended = await room.start();
    await room.host.play(ended.id, 'done');
    const call = () => room.start({}, room.child(ended.id));
    expect(await writesNothing(room, call)).toBe('parent_final');

    const root = await room.start();
    await room.host.claim(root.id);
    const child = await room.start({}, room.child(root.id));
    await room.host.claim(child.id);
    await room.ask('cancelSubagent', { id: root.id });
    const late = () => room.start({}, room.child(child.id));
    expect(await writesNothing(room, late)).toBe('parent_final');
  });
});

test.each(['', ' ', '\n\t'])('a blank prompt is refused: %j', async (prompt) => {
  await withOperations(async (room) => {
    const call = async () => room.start({ prompt });
    await expect(call()).rejects.toThrow('must not be empty or blank');
  });
});

test('a prompt of 16 MiB is taken byte for byte, and one byte more is not', async () => {
  await withOperations(async (room) => {
    const prompt = `${'é'.repeat(limits.promptBytesMax / 2 - 1)}\r\n`;
    const taken = await room.start({ prompt });
    expect((await room.host.claim(taken.id)).prompt === prompt).toBe(true);
    const call = () => room.start({ prompt: `${prompt}x` });
    expect(await writesNothing(room, call)).toBe('prompt_too_large');
  });
});

test('a prompt that no argument can hold is refused for a runner that takes it so', async () => {
  await withOperations(async (room) => {
    const prompt = 'x'.repeat(limits.argvPromptBytesMax + 1);
    const call = () => room.start({ runnerId: 'narrow', prompt });
    expect(await writesNothing(room, call)).toBe('prompt_too_large');
    await room.start({ runnerId: 'narrow', prompt: prompt.slice(1) });
  });
});

test('a prompt with NUL is refused for a runner that takes it as an argument', async () => {
  await withOperations(async (room) => {
    const prompt = 'a\0b';
    const call = () => room.start({ runnerId: 'narrow', prompt });
    expect(await writesNothing(room, call)).toBe('bad_request');
    const { id } = await room.start({ prompt });
    expect((await room.host.claim(id)).prompt).toBe(prompt);
  });
});

test('a secret value with NUL is refused where it is given, and not quoted', async () => {
  await withOperations(async (room) => {
    const call = async () => room.start({ context: { env: { KEY: 'hunter2\0' } } });
    const said = await call().then(String, String);
    expect(said).toContain('must not hold NUL');
    expect(said).not.toContain('hunter2');
  });
});

test('secret values lie in a file of their own, mode 0600, and nowhere in the store', async () => {
  await withOperations(async (room) => {
    const { id } = await room.start({ context: { env: { KEY: 'hunter2-of-this-test' } } });
    const file = join(room.deps.paths.secrets, `${id}.json`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.stringify(room.row(id))).not.toContain('hunter2');
    expect((await room.host.claim(id)).env).toEqual({ KEY: 'hunter2-of-this-test' });
  });
});

test('a row keeps the difference between no files and an empty list of them', async () => {
  await withOperations(async (room) => {
    const none = await room.start();
    const empty = await room.start({ context: { files: [] } });
    expect(room.row(none.id).files_json).toBeNull();
    expect(room.row(empty.id).files_json).toBe('[]');
    expect((await room.get(none.id)).context.files).toBeNull();
    expect((await room.get(empty.id)).context.files).toEqual([]);
  });
});

test.each([
  ['missing', (file: string) => rmSync(file)],
  ['damaged', (file: string) => writeFileSync(file, '{"KEY"')],
])('what was given secret values never runs without them: %s, they end it', async (_, lose) => {
  await withOperations(async (room) => {
    const { id } = await room.start({ context: { env: { KEY: 'hunter2' } } });
    lose(join(room.deps.paths.secrets, `${id}.json`));
    expect(await room.host.tryClaim(id)).toEqual({
      kind: 'nothing',
      status: 'failed',
      isHere: false,
    });
    expect(await room.get(id)).toMatchObject({
      errorCode: 'env_missing',
      errorHint: expect.stringContaining('Ask again with context.env'),
    });
    expect(room.row(id).host_id).toBeNull();
    expect(room.count('runs')).toBe(0);
  });
});
