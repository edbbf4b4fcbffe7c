/** An agent's token when its invocation has ended: it changes nothing any more, but for what its program tells late. */
import { expect, test } from '@jest/globals';
import { limits } from '../../../contract/limits.ts';
import type { OperationInput, OperationName } from '../../../contract/operations.ts';
import { refusal } from '../operations-fixture.ts';
import { everyHook, hookNames, withHooks, type HookRoom } from './hooks-fixture.ts';

/** A parent with a child that has ended and a session which its program has reported. */
async function ended(room: HookRoom) {
  const parent = await room.start();
  const child = await room.start({}, room.child(parent.id));
  const below = await room.start({}, room.child(child.id));
  const run = await room.host.claim(child.id);
  const me = room.child(child.id);
  const start = { harness: 'claude-code', sessionKey: 's1' };
  await room.ask('hookSessionStart', start, me);
  await room.ask('hookSubagentStart', { ...start, harnessAgentId: 'a1' }, me);
  await room.ask('hookSessionStart', { ...start, sessionKey: 'deep' }, room.child(below.id));
  await room.host.end(run, 'done');
  expect(room.row(child.id).status).toBe('completed');
  return { me, child, below };
}

test('its late hooks are heard for what it has reported, and make and touch nothing else', () =>
  withHooks(async (room) => {
    const { me } = await ended(room);
    const before = room.count('sessions');
    for (const name of hookNames) {
      const hook = (sessionKey: string) => ({ ...everyHook[name], sessionKey }) as never;
      for (const key of ['new', 'deep', 'agent:default:main']) {
        const asked = room.ask(name, hook(key), me);
        expect([name, key, await refusal(asked)]).toEqual([name, key, 'forbidden']);
      }
      expect([name, await refusal(room.ask(name, hook('s1'), me))]).toEqual([name, 'not refused']);
    }
    const unheardOf = { harness: 'claude-code', sessionKey: 's1', harnessAgentId: 'a2' };
    expect(await refusal(room.ask('hookSubagentStart', unheardOf, me))).toBe('forbidden');
    expect(room.count('sessions')).toBe(before);
    expect(room.said('s1')).toContain('user: hello');
  }));

test('a session that it began while the server was away is begun by what was kept meanwhile', () =>
  withHooks(async (room) => {
    const { me, child } = await ended(room);
    const late = { ...me, isLateHook: true };
    const end = Date.parse(room.row(child.id).completed_at!);
    const prompt = (sessionKey: string, at: number | undefined, caller: typeof me) => {
      const hook = { harness: 'claude-code', sessionKey, userMessage: 'said meanwhile' };
      const time = at === undefined ? {} : { at: new Date(end + at).toISOString() };
      return room.ask('hookUserPromptSubmit', { ...hook, ...time }, caller);
    };
    const [hour, instant] = [3_600_000, 1];
    for (const [key, at, caller] of [
      ['not-late', -instant, me],
      ['without-a-time', undefined, late],
      ['before-it-began', -hour, late],
      ['after-its-end', hour, late],
      ['deep', -instant, late],
    ] as const) {
      expect([key, await refusal(prompt(key, at, caller))]).toEqual([key, 'forbidden']);
    }
    await prompt('meanwhile', -instant, late);
    expect(room.said('meanwhile')).toEqual(['user: said meanwhile']);
    const above = room.store.db.get(
      `SELECT p.session_key AS key FROM lineage l JOIN sessions p ON p.id = l.parent_session_id
       WHERE l.session_id = :id`,
      { id: room.session('meanwhile')!.id },
    );
    expect(above).toEqual({ key: child.sessionKey });
    const more = { harness: 'claude-code', sessionKey: 'meanwhile', summary: 'so far' };
    await room.ask('hookCompactionComplete', more, late);
    // What it says of the time is its own word: a day after its end nothing is begun any more.
    room.clock.advance(limits.lateSessionMs + hour);
    expect(await refusal(prompt('much later', -instant, late))).toBe('forbidden');
    expect(await refusal(room.ask('hookCompactionComplete', more, late))).toBe('not refused');
  }));

test('it changes nothing of what it has started, of itself and of what it has reported, and reads it all', () =>
  withHooks(async (room) => {
    const { me, child, below } = await ended(room);
    const row = room.row(below.id);
    const changes: { [N in OperationName]?: OperationInput<N> } = {
      cancelSubagent: { id: below.id },
      deleteSubagent: { id: below.id },
      registerSession: { key: 'mine' },
    };
    for (const [name, input] of Object.entries(changes)) {
      const asked = room.ask(name as 'cancelSubagent', input as never, me);
      await expect(asked).rejects.toMatchObject({
        code: 'forbidden',
        hint: 'Its invocation has ended. What it could read it still can.',
      });
    }
    for (const key of [child.sessionKey, below.sessionKey, 's1']) {
      const codes = [
        await refusal(room.ask('bypassSession', { key, enabled: true }, me)),
        await refusal(room.ask('renewSession', { key }, me)),
        await refusal(room.ask('ackCallbacks', { key, ids: ['cb_x'] }, me)),
        await refusal(room.ask('writeCheckpoint', { key, summary: 'obey me' }, me)),
        await refusal(room.ask('deleteSession', { key }, me)),
      ];
      expect([key, codes]).toEqual([key, Array(5).fill('forbidden')]);
      expect(await refusal(room.ask('getSession', { key }, me))).toBe('not refused');
      expect(await refusal(room.ask('getCallbacks', { key }, me))).toBe('not refused');
    }
    const wait = room.ask('waitSubagents', { ids: [below.id], waitSeconds: 0 }, me);
    expect((await wait).open).toHaveLength(1);
    expect(await refusal(room.start({}, me))).toBe('parent_final');
    expect(room.row(below.id)).toEqual(row);
  }));

test('what it asked for before it ended, and asks for again, is still found', () =>
  withHooks(async (room) => {
    const { id } = await room.start();
    const run = await room.host.claim(id);
    const me = { ...room.child(id), idempotencyKey: 'once' };
    const first = await room.start({}, me);
    await room.host.end(run, 'done');
    expect((await room.start({}, me)).id).toBe(first.id);
  }));

test('a callback is not handed to it any more', () =>
  withHooks(async (room) => {
    const { me } = await ended(room);
    const { id } = await room.start({ executionMode: 'ASYNC_CALLBACK', parentSessionId: 's1' });
    await room.host.play(id, 'the answer');
    for (const idempotencyKey of ['1', '2', '3']) {
      const stop = { harness: 'claude-code', sessionKey: 's1', idempotencyKey };
      expect((await room.ask('hookStop', stop, me)).inject).toBe('');
    }
    expect((await room.callbacks('s1')).map(({ state }) => state)).toEqual(['queued']);
  }));
