/** When a session was active is said by its events, not by when they come: what is told late holds nothing now. */
import { expect, test } from '@jest/globals';
import { limits } from '../../../contract/limits.ts';
import { callerAs } from '../operations-fixture.ts';
import { everyHook, hookNames, line, withHooks, type HookRoom } from './hooks-fixture.ts';

const ago = (room: HookRoom, ms: number) => new Date(room.clock.now().getTime() - ms).toISOString();
const late = callerAs({ claims: { role: 'admin' }, isLateHook: true });
const day = 24 * 60 * 60_000;
const states = async (room: HookRoom, more: object = {}) =>
  (await room.ask('listSessions', more)).sessions;
const keys = async (room: HookRoom, more: object = {}) =>
  (await states(room, more)).map(({ key }) => key);

test.each(hookNames)('%s of yesterday makes nothing active, and claims nothing', (name) =>
  withHooks(async (room) => {
    const at = ago(room, day);
    const transcript = line('user', 'one') + line('assistant', 'two');
    const hook = { ...everyHook[name], at, project: '/repo', transcript };
    await room.ask(name, hook as never, room.over('plugin'));
    expect(await states(room)).toEqual([]);
    const all = await states(room, { active: false });
    expect(all.length).toBeGreaterThan(0);
    for (const { lastActivityAt, claimedAt, expiresAt } of all) {
      expect([lastActivityAt, claimedAt, expiresAt]).toEqual([at, at, null]);
    }
    expect((await room.ask('getPresence', {})).agents).toEqual([]);
    expect(await keys(room, { active: false, since: ago(room, day - 1000) })).toEqual([]);
    // The program may be there over another path since.
    await room.ask('hookSessionStart', everyHook.hookSessionStart, room.over('legacy'));
    expect(await keys(room)).toEqual(['s1']);
  }),
);

test('what is told late leaves what has happened since, and the order of the list', () =>
  withHooks(async (room) => {
    const early = ago(room, 3_600_000);
    await room.prompt('first', 'now', { runtimePath: 'plugin' });
    room.clock.advance(1000);
    await room.prompt('second', 'now');
    const before = await states(room);
    expect(before.map(({ key }) => key)).toEqual(['second', 'first']);
    await room.prompt('first', 'before', {
      at: early,
      project: '/told/late',
      runtimePath: 'plugin',
    });
    await room.report('first', 'User: and this\n', { at: early });
    const after = await states(room);
    expect(after.map(({ lastActivityAt }) => lastActivityAt)).toEqual(
      before.map(({ lastActivityAt }) => lastActivityAt),
    );
    expect(after[1]).toMatchObject({ project: '/told/late', expiresAt: before[1]!.expiresAt });
  }));

test('where a session works, and what it is called, is not said anew by what is told late', () =>
  withHooks(async (room) => {
    const about = () => room.ask('getSession', { key: 's1' });
    const start = { ...everyHook.hookSessionStart, title: 'old' };
    const kept = (more: object) => room.ask('hookSessionStart', { ...start, ...more }, late);
    const early = ago(room, 3_600_000);
    await room.prompt('s1', 'now', { project: '/repo/new' });
    await kept({ at: early, project: '/repo/old' });
    expect(await about()).toMatchObject({ project: '/repo/new', title: 'old' });
    room.clock.advance(1000);
    await kept({ at: ago(room, 0), project: '/repo/newer', title: 'new' });
    expect(await about()).toMatchObject({ project: '/repo/newer', title: 'new' });
  }));

test('a claim lasts for as long since the event as since one that comes at once', () =>
  withHooks(async (room) => {
    const at = ago(room, limits.claimMs - 60_000);
    await room.prompt('s1', 'kept for hours', { at, runtimePath: 'plugin' });
    expect(room.session('s1')).toMatchObject({ runtime_path: 'plugin', claimed_at: at });
    expect(room.session('s1')!.claim_expires_at).toBe(
      new Date(Date.parse(at) + limits.claimMs).toISOString(),
    );
    room.clock.advance(60_001);
    await room.prompt('s1', 'over another', { runtimePath: 'legacy' });
    expect(room.session('s1')!.runtime_path).toBe('legacy');
  }));

test('a clock that is ahead of ours moves nothing beyond now', () =>
  withHooks(async (room) => {
    await room.prompt('s1', 'soon', { at: ago(room, -4 * 60_000) });
    expect((await states(room))[0]!.lastActivityAt <= ago(room, 0)).toBe(true);
  }));

test('a parent is guessed as of then: whoever was at work, and not who has begun since', () =>
  withHooks(async (room) => {
    const start = (key: string, ms: number, more: object = {}) =>
      room.ask('hookSessionStart', {
        ...{ harness: 'claude-code', sessionKey: key, project: '/repo', at: ago(room, ms) },
        ...more,
      });
    const parentOf = async (key: string) => (await room.ask('getSession', { key })).parentSessionId;
    await start('yesterday', day + 60_000);
    await start('today', 60_000);
    await start('late', day, { harnessAgentId: 'late' });
    await start('now', 0, { harnessAgentId: 'now' });
    await start('later', day - 5 * 3_600_000, { harnessAgentId: 'later' });
    expect(await parentOf('late')).toBe('yesterday');
    expect(await parentOf('now')).toBe('today');
    expect(await parentOf('later')).toBeNull();
    expect((await room.ask('getSession', { key: 'yesterday' })).openChildren).toBe(0);
  }));

test('an import is as old as what was said in it', () =>
  withHooks(async (room) => {
    const at = ago(room, day);
    await room.prompt('s1', 'one', { at });
    const { jsonl } = await room.ask('exportSession', { key: 's1' });
    await room.ask('importSession', { jsonl, agentId: 'bob' });
    expect(await keys(room, { agentId: 'bob' })).toEqual([]);
    const [imported] = await states(room, { agentId: 'bob', active: false });
    expect(imported!.lastActivityAt).toBe(at);
  }));
