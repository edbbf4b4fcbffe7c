import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { Caller } from '../../operations/index.ts';
import { refusal, withOperations } from './operations-fixture.ts';

const withKey = (caller: Caller, idempotencyKey: string): Caller => ({ ...caller, idempotencyKey });

test('the same call twice is one child, also at the same moment and also after its end', async () => {
  await withOperations(async (room) => {
    const caller = withKey(room.admin, 'key-1');
    const [one, two] = await Promise.all([room.start({}, caller), room.start({}, caller)]);
    expect(two.id).toBe(one.id);
    await room.host.play(one.id, 'done');
    const again = await room.start({}, caller);
    expect(again).toMatchObject({ id: one.id, status: 'completed' });
    expect(room.count('subagent_sessions')).toBe(1);
    expect(room.count('sessions')).toBe(1);
  });
});

test('how long a caller waits does not make it another request', async () => {
  await withOperations(async (room) => {
    const caller = withKey(room.admin, 'key-1');
    const one = await room.start({ executionMode: 'SYNC', waitSeconds: 0 }, caller);
    const two = await room.start({ executionMode: 'SYNC', waitSeconds: 0.01 }, caller);
    expect(two.id).toBe(one.id);
  });
});

test('the same key with another body is refused, and the child goes on as it was', async () => {
  await withOperations(async (room) => {
    const caller = withKey(room.admin, 'key-1');
    const { id } = await room.start({ context: { env: { KEY: 'first' } } }, caller);
    for (const other of [
      { prompt: 'another' },
      { executionMode: 'SYNC' as const },
      { context: { env: { KEY: 'second' } } },
      { title: 'x' },
    ]) {
      expect(await refusal(room.start(other, caller))).toBe('idempotency_mismatch');
    }
    expect(await room.deps.secrets.get(id)).toEqual({ KEY: 'first' });
    expect(room.words(id).prompt).toBe('do it');
  });
});

test('a key counts for its caller only', async () => {
  await withOperations(async (room) => {
    const one = await room.start();
    const two = await room.start();
    const children = await Promise.all(
      [room.admin, room.child(one.id), room.child(two.id)].map((caller) =>
        room.start({}, withKey(caller, 'the same')),
      ),
    );
    expect(new Set(children.map((child) => child.id)).size).toBe(3);
  });
});

test('a key counts for its operation only', async () => {
  await withOperations(async (room) => {
    const caller = withKey(room.admin, 'key-1');
    const { id } = await room.start({}, caller);
    const sent = await room.ask('sendToSubagent', { id, prompt: 'and?' }, caller);
    const again = await room.ask('sendToSubagent', { id, prompt: 'and?' }, caller);
    expect(sent.id).not.toBe(id);
    expect(again.id).toBe(sent.id);
    const other = room.ask('sendToSubagent', { id, prompt: 'other' }, caller);
    expect(await refusal(other)).toBe('idempotency_mismatch');
  });
});

test('a repeat needs neither its workspace nor its runner any more', async () => {
  await withOperations(async (room) => {
    const caller = withKey(room.admin, 'key-1');
    const { id } = await room.start({}, caller);
    const find = room.deps.runners.find;
    room.deps.runners.find = () => null;
    expect((await room.start({}, caller)).id).toBe(id);
    room.deps.runners.find = find;
  });
});

test('a refused request with a key may be made again when its cause is gone', async () => {
  await withOperations(async (room) => {
    const caller = withKey(room.admin, 'key-1');
    expect(await refusal(room.start({ parentSessionId: 'main' }, caller))).toBe('unknown_parent');
    await room.ask('registerSession', { key: 'main' });
    expect(await room.start({ parentSessionId: 'main' }, caller)).toMatchObject({ depth: 1 });
    expect(readdirSync(room.deps.paths.secrets)).toEqual([]);
  });
});

test('what the store keeps of a request does not let a secret in it be guessed', async () => {
  await withOperations(async (room) => {
    const { id } = await room.start(
      { context: { env: { PIN: '1234' } } },
      withKey(room.admin, 'key-1'),
    );
    const plain = {
      runnerId: 'talk',
      prompt: 'do it',
      executionMode: 'ASYNC_POLL',
      context: { env: { PIN: '1234' } },
      limits: {},
      detached: false,
      parent: null,
    };
    const sorted = JSON.stringify(
      Object.fromEntries(Object.entries(plain).sort(([a], [b]) => (a < b ? -1 : 1))),
    );
    const guess = createHash('sha256').update(sorted).digest('hex');
    expect(room.row(id).request_hash).not.toBe(guess);
  });
});

test('an agent that lost the answer to its SYNC call and asks again lends its slot again', async () => {
  await withOperations(
    async (room) => {
      const root = await room.start();
      await room.host.claim(root.id);
      const leaving = new AbortController();
      const caller = withKey(room.child(root.id), 'call-1');
      const ask = (gone: AbortSignal) =>
        room.start({ executionMode: 'SYNC', waitSeconds: undefined }, { ...caller, gone });
      const first = ask(leaving.signal);
      const child = await room.childOf(root.id);
      await room.host.lose(await room.host.claim(child), false);
      leaving.abort();
      await first;
      expect(room.count('waits')).toBe(0);

      const second = ask(room.admin.gone);
      await sleep(20);
      expect(room.count('waits')).toBe(1);
      await room.host.play(child, 'the answer');
      expect((await second).result?.content).toBe('the answer');
    },
    { slots: 1 },
  );
});
