import { readdirSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { dropOldSecrets } from '../../operations/index.ts';
import type { OutboxRow } from '../../store/outbox.ts';
import { reject } from '../../worker/repair.ts';
import { brokenRows } from '../fuzz/invariants.ts';
import { watchRows } from '../fuzz/watch-rows.ts';
import { callerAs, refusal, withOperations } from './operations-fixture.ts';

test('two who delete the same at the same moment: one does, the other finds nothing', async () => {
  await withOperations(async (room) => {
    const { id, sessionKey: key } = await room.start();
    await room.host.play(id, 'done');
    const remove = () => refusal(room.ask('deleteSubagent', { id }));
    expect(await Promise.all([remove(), remove()])).toEqual(['not refused', 'not_found']);

    await room.ask('registerSession', { key });
    const drop = () => refusal(room.ask('deleteSession', { key }));
    expect(await Promise.all([drop(), drop()])).toEqual(['not refused', 'not_found']);
  });
});

test('a parent that is deleted while a request is on its way is unknown', async () => {
  await withOperations(async (room) => {
    await room.ask('registerSession', { key: 'main' });
    const removed = room.ask('deleteSession', { key: 'main' });
    const asked = refusal(room.start({ parentSessionId: 'main' }));
    await removed;
    expect(await asked).toBe('unknown_parent');
    expect((await room.start()).status).toBe('pending');
  });
});

test('a message to what is deleted at that moment finds nothing', async () => {
  await withOperations(async (room) => {
    const { id } = await room.start();
    await room.host.play(id, 'done');
    const removed = room.ask('deleteSubagent', { id });
    const sent = refusal(room.ask('sendToSubagent', { id, prompt: 'x' }));
    await removed;
    expect(await sent).toBe('not_found');
  });
});

test('a key whose invocation was deleted while its session lives on is not used again', async () => {
  await withOperations(async (room) => {
    const caller = callerAs({ claims: { role: 'admin' }, idempotencyKey: 'key-1' });
    const { id } = await room.start({}, caller);
    await room.host.play(id, 'done');
    await room.ask('sendToSubagent', { id, prompt: 'more' });
    await room.ask('deleteSubagent', { id });
    expect(await refusal(room.start({}, caller))).toBe('idempotency_mismatch');
  });
});

test('a child that ends while its cancel is on the way keeps its first ending', async () => {
  await withOperations(async (room) => {
    const run = await room.host.claim((await room.start()).id);
    const ended = room.host.end(run, 'done');
    const cancelled = room.ask('cancelSubagent', { id: run.invocationId });
    await Promise.all([ended, cancelled]);
    expect(await room.get(run.invocationId)).toMatchObject({ status: 'completed', error: null });
  });
});

test('a spawn that comes in the same moment as the cancel of its parent is refused or cancelled', async () => {
  await withOperations(async (room) => {
    const run = await room.host.claim((await room.start()).id);
    const id = run.invocationId;
    const spawn = () => room.start({}, room.child(id));
    const before = spawn();
    const cancel = room.ask('cancelSubagent', { id });
    const after = refusal(spawn());
    await cancel;
    const first = await before.then((record) => record.id).catch(() => null);
    if (first !== null) expect((await room.get(first)).status).toBe('cancelled');
    expect(['parent_final', 'not refused']).toContain(await after);
    const open = await room.ask('listSubagents', { status: 'pending' });
    expect(open.items).toEqual([]);
  });
});

test('a wait for what is deleted meanwhile comes to its end', async () => {
  await withOperations(async (room) => {
    const run = await room.host.claim((await room.start()).id);
    const child = await room.start({}, room.child(run.invocationId));
    await room.host.play(child.id, 'done');
    const removed = room.ask('deleteSubagent', { id: child.id });
    const caller = room.child(run.invocationId);
    const waited = room.ask('waitSubagents', { ids: [child.id], waitSeconds: 1 }, caller);
    await removed;
    expect((await waited).done).toMatchObject([{ id: child.id }]);
    expect(room.count('waits')).toBe(0);
  });
});

const withEnv = (value: string) => ({ context: { env: { SECRET: value } } });
const keyed = callerAs({ claims: { role: 'admin' }, idempotencyKey: 'key-1' });

test('a call that is refused for its key leaves the secret values of the accepted one alone', async () => {
  await withOperations(async (room) => {
    const [one, two] = await Promise.allSettled([
      room.start(withEnv('first'), keyed),
      room.start(withEnv('second'), keyed),
    ]);
    expect([one.status, two.status]).toEqual(['fulfilled', 'rejected']);
    const { id } = room.store.db.get<{ id: string }>('SELECT id FROM subagent_sessions')!;
    expect((await room.host.claim(id)).env).toEqual({ SECRET: 'first' });
  });
});

test('a refused call does not take the values of an accepted one with the same key along', async () => {
  await withOperations(async (room) => {
    // Refused in the accepting transaction: a callback needs somebody to call back.
    const bad = { ...withEnv('refused'), executionMode: 'ASYNC_CALLBACK' } as const;
    const calls = [room.start(bad, keyed), room.start(withEnv('accepted'), keyed)] as const;
    expect(await refusal(calls[0])).toBe('parent_required');
    const { id } = await calls[1];
    expect((await room.host.claim(id)).env).toEqual({ SECRET: 'accepted' });
  });
});

test('a refused call leaves no secret values behind', async () => {
  await withOperations(async (room) => {
    const bad = { ...withEnv('refused'), executionMode: 'ASYNC_CALLBACK' } as const;
    const calls = [refusal(room.start(bad, keyed)), refusal(room.start(bad, keyed))];
    expect(await Promise.all(calls)).toEqual(['parent_required', 'parent_required']);
    expect(readdirSync(room.deps.paths.secrets)).toEqual([]);
  });
});

test('after a crash the values of what is open are kept, and of all else they go', async () => {
  await withOperations(async (room) => {
    const open = await room.start(withEnv('open'));
    const ended = await room.start(withEnv('ended'));
    await room.host.play(ended.id, 'done');
    // Cut off between the file and the commit.
    await room.deps.secrets.put('sub_never', { SECRET: 'never accepted' });
    await dropOldSecrets(room.deps, [open.id, ended.id, 'sub_never']);
    expect(readdirSync(room.deps.paths.secrets)).toEqual([`${open.id}.json`]);
  });
});

test('what ends in the queue gives the slots of its children to others, and takes none itself', async () => {
  await withOperations(
    async (room) => {
      watchRows(room.store.db, 50);
      await room.ask('registerSession', { key: 'main' });
      const ask = (parentSessionId: string) =>
        room.start({ executionMode: 'SYNC', waitSeconds: 0, parentSessionId });
      await ask('main');
      const queued = await ask('main');
      await ask(queued.sessionKey);
      const ofSession = room.store.db.all<OutboxRow>(`SELECT * FROM outbox WHERE kind = 'session'`);
      await room.store.write((tx) => reject(tx, ofSession, 'too large'));
      expect(room.row(queued.id)).toMatchObject({ status: 'failed', host_id: null });
      expect(brokenRows(room.store.db)).toEqual([]);
    },
    { slots: 1 },
  );
});
