/** What is told late, of a time before: it neither holds a session that is over nor has read what was offered since. */
import { expect, test } from '@jest/globals';
import { callerAs } from '../operations-fixture.ts';
import { everyHook, hookNames, withHooks, type HookRoom } from './hooks-fixture.ts';

const hook = { harness: 'claude-code', sessionKey: 's1' };
const ago = (room: HookRoom, ms: number) => new Date(room.clock.now().getTime() - ms).toISOString();

test.each(hookNames.filter((name) => !name.startsWith('hookSubagent')))(
  '%s from before the end takes no ended session: the program may be resumed over another path',
  (name) =>
    withHooks(async (room) => {
      await room.ask('hookSessionStart', hook, room.over('legacy'));
      await room.ask('hookSessionEnd', hook, room.over('legacy'));
      const at = ago(room, 10 * 60_000);
      await room.ask(name, { ...everyHook[name], at } as never, room.over('legacy'));
      expect(room.session('s1')).toMatchObject({
        ended_at: expect.any(String),
        runtime_path: null,
        claim_expires_at: null,
      });
      const { sessions } = await room.ask('listSessions', { active: true });
      expect(sessions).toEqual([]);
      await room.ask('hookSessionStart', { ...hook, source: 'resume' }, room.over('plugin'));
      expect(room.session('s1')).toMatchObject({ ended_at: null, runtime_path: 'plugin' });
    }),
);

test('a hook by which an ended session goes on takes it', () =>
  withHooks(async (room) => {
    await room.ask('hookSessionEnd', hook, room.over('legacy'));
    await room.prompt('s1', 'still here', { runtimePath: 'legacy' });
    expect(room.session('s1')).toMatchObject({ ended_at: null, runtime_path: 'legacy' });
  }));

const late = callerAs({ claims: { role: 'admin' }, isLateHook: true });

test('an end that is told late does not end what has gone on since, and the end of that does', () =>
  withHooks(async (room) => {
    const at = ago(room, 24 * 60 * 60_000);
    const sub = { ...hook, harnessAgentId: 'a1' };
    await room.ask('hookSessionStart', { ...hook, source: 'resume' }, room.over('legacy'));
    await room.ask('hookSubagentStart', sub, room.over('legacy'));
    const end = { ...hook, at, reason: 'clear', idempotencyKey: 'kept' };
    const overLegacy = callerAs({ ...late, runtimePath: 'legacy' });
    const answer = await room.ask('hookSessionEnd', end, overLegacy);
    expect(answer).toEqual({ memoriesSaved: 0, queued: false });
    expect(room.session('s1')).toMatchObject({ ended_at: null, runtime_path: 'legacy' });
    expect(room.session('s1')!.context_epoch).toBe(0);
    expect(room.session('s1:a1')!.ended_at).toBeNull();
    expect(room.all('s1').at(-1)).toBe('mark: had ended, and went on');
    // By a clock that is somewhat behind it is the end of now.
    await room.ask('hookSessionEnd', { ...hook, at: ago(room, 60_000) }, overLegacy);
    expect(room.session('s1')!.ended_at).not.toBeNull();
  }));

test('nor does the stop of a sub-agent end one that has been at work since, and the stop of that does', () =>
  withHooks(async (room) => {
    const sub = { ...hook, harnessAgentId: 'a1' };
    await room.ask('hookSubagentStart', sub, room.over('legacy'));
    const kept = { ...sub, at: ago(room, 24 * 60 * 60_000), idempotencyKey: 'kept' };
    const stop = { ...kept, lastAssistantMessage: 'said yesterday' };
    const answer = await room.ask('hookSubagentStop', stop, late);
    expect(answer).toEqual({ sessionKey: 's1:a1', ended: true });
    expect(room.session('s1:a1')).toMatchObject({ ended_at: null, runtime_path: 'legacy' });
    expect(room.all('s1:a1').slice(-2)).toEqual([
      ...['assistant: said yesterday', 'mark: had ended, and went on'],
    ]);
    await room.ask('hookSubagentStop', { ...sub, at: ago(room, 60_000) }, late);
    expect(room.session('s1:a1')).toMatchObject({
      ...{ ended_at: expect.any(String), runtime_path: null },
    });
  }));

test('an end that is told late leaves a sub-agent in it that has been at work since', () =>
  withHooks(async (room) => {
    const [begun, over] = [30, 20].map((minutes) => ago(room, minutes * 60_000));
    const sub = (harnessAgentId: string) => ({ ...hook, harnessAgentId });
    await room.prompt('s1', 'begin', { at: begun });
    await room.ask('hookSubagentStart', { ...sub('a1'), at: begun });
    await room.ask('hookSubagentStart', sub('a2'));
    await room.ask('hookSessionEnd', { ...hook, at: over }, late);
    const ends = ['s1', 's1:a1', 's1:a2'].map((key) => room.session(key)!.ended_at);
    expect(ends).toEqual([over, over, null]);
  }));

test('an end that is told after a later one moves nothing back: what was said between the two leaves it over', () =>
  withHooks(async (room) => {
    const [first, between, last] = [30, 20, 10].map((minutes) => ago(room, minutes * 60_000));
    await room.prompt('s1', 'begin', { at: first });
    await room.ask('hookSessionEnd', { ...hook, at: last });
    const end = { ...hook, lastAssistantMessage: 'said first', at: first };
    await room.ask('hookSessionEnd', end, late);
    expect(room.session('s1')!.ended_at).toBe(last);
    await room.ask('hookStop', { ...hook, allSaid: 'said then', at: between }, late);
    expect(room.session('s1')!.ended_at).toBe(last);
    expect(room.said('s1')).toEqual([
      ...['user: begin', 'assistant: said first', 'assistant: said then'],
    ]);
  }));

const inTime = callerAs({ claims: { role: 'admin' } });
/** A session with a callback that waits. */
async function answered(room: HookRoom): Promise<void> {
  await room.prompt('s1', 'begin');
  const { id } = await room.start({ executionMode: 'ASYNC_CALLBACK', parentSessionId: 's1' });
  await room.host.play(id, 'the answer');
}
/** A session whose last prompt was offered a callback. */
async function offered(room: HookRoom): Promise<void> {
  await answered(room);
  expect((await room.prompt('s1', 'go')).inject).toContain('the answer');
}
const states = async (room: HookRoom) => (await room.callbacks('s1')).map(({ state }) => state);

test.each([
  ['late', late, {}],
  ['in time', inTime, {}],
  ['in time, as of a turn that went on', inTime, { stopHookActive: true }],
])('a stop from before an offer that comes %s has not read it', (_, caller, more) =>
  withHooks(async (room) => {
    await offered(room);
    const stop = { ...hook, ...more, lastAssistantMessage: 'said a minute ago' };
    const before = { ...stop, at: ago(room, 60_000), idempotencyKey: 'x1' };
    await room.ask('hookStop', before, caller);
    expect(await states(room)).toEqual(['queued']);
    expect((await room.prompt('s1', 'go on')).inject).toContain('repeat="true"');
    room.clock.advance(1000);
    await room.ask('hookStop', { ...hook, at: ago(room, 0), idempotencyKey: 'x2' }, caller);
    expect(await states(room)).toEqual(['delivered']);
  }),
);

test('a program whose clock is behind is offered it thrice at its stops, and can stop then', () =>
  withHooks(async (room) => {
    await offered(room);
    const injected = [];
    for (let n = 0; n < 4; n += 1) {
      room.clock.advance(1000);
      const stop = { ...hook, at: ago(room, 3_600_000), idempotencyKey: `x${n}` };
      injected.push((await room.ask('hookStop', stop)).inject !== '');
    }
    expect(injected).toEqual([true, true, false, false]);
    expect(await states(room)).toEqual(['queued']);
    expect((await room.prompt('s1', 'and now?')).inject).toContain('the answer');
  }));

async function offeredAsItWentOn(room: HookRoom): Promise<void> {
  await answered(room);
  const stop = { ...hook, stopHookActive: true };
  expect((await room.ask('hookStop', stop)).inject).toContain('the answer');
}

test.each([
  ['a prompt', offered],
  ['a stop without a name, as it went on', offeredAsItWentOn],
])(
  'what an end that is told late has read of %s was read then: the session is active no later',
  (_, offer) =>
    withHooks(async (room) => {
      await offer(room);
      const [callback] = await room.callbacks('s1');
      const at = ago(room, 0);
      room.clock.advance(24 * 60 * 60_000);
      const end = { ...hook, at, transcript: `User: ${callback!.id}\n` };
      await room.ask('hookSessionEnd', end, late);
      expect(await states(room)).toEqual(['delivered']);
      expect((await room.ask('getSession', { key: 's1' })).lastActivityAt).toBe(at);
    }),
);
