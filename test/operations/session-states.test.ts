/** Sessions as they are now: lists and their filters, claims, presence, agents, and trees of both kinds. */
import { expect, test } from '@jest/globals';
import type { OperationInput } from '../../contract/operations.ts';
import { withHooks, type HookRoom } from './hooks/hooks-fixture.ts';
import { callerAs, refusal } from './operations-fixture.ts';
import { scoped } from './scoped-caller.ts';

const HOUR = 3_600_000;

const keys = async (room: HookRoom, filter: OperationInput<'listSessions'> = {}) =>
  (await room.ask('listSessions', { active: false, ...filter })).sessions.map(({ key }) => key);

test('sessions that are active are listed, and all of them where that is asked', () =>
  withHooks(async (room) => {
    await room.prompt('idle', 'hi');
    room.clock.advance(5 * HOUR);
    for (const key of ['at work', 'ended']) await room.prompt(key, 'hi');
    await room.ask('hookSessionEnd', { harness: 'claude-code', sessionKey: 'ended' });
    const active = await room.ask('listSessions', {});
    expect(active.sessions.map(({ key }) => key)).toEqual(['at work']);
    expect(await keys(room)).toEqual(['ended', 'at work', 'idle']);
  }));

test('sessions are listed by agent, project, harness, time and activity, those active last first', () =>
  withHooks(async (room) => {
    const see = (sessionKey: string, more: Record<string, unknown> = {}) =>
      room.prompt(sessionKey, 'hi', more);
    await see('first', { project: '/repo' });
    room.clock.advance(5 * HOUR);
    const late = room.store.now();
    await see('below', { project: '/repo/part' });
    await see('beside', { project: '/repository', harness: 'codex' });
    await see('bobs', { agentId: 'bob', project: '/repo' });
    await room.ask('hookSessionEnd', { harness: 'claude-code', sessionKey: 'below' });
    expect(await keys(room)).toEqual(['below', 'beside', 'first']);
    expect(await keys(room, { agentId: 'bob' })).toEqual(['bobs']);
    expect(await keys(room, { project: '/repo' })).toEqual(['below', 'first']);
    expect(await keys(room, { harness: 'codex' })).toEqual(['beside']);
    expect(await keys(room, { since: late })).toEqual(['below', 'beside']);
    expect(await keys(room, { active: 'true' })).toEqual(['beside']);
    expect(await keys(room, { active: 'false' })).toEqual(['below', 'beside', 'first']);
  }));

test('what is said of a registered session replaces that alone, and touches it', () =>
  withHooks(async (room) => {
    const said = { key: 's1', harness: 'codex', project: '/repo', title: 'One' };
    const first = await room.ask('registerSession', said);
    room.clock.advance(HOUR);
    const touched = await room.ask('registerSession', { key: 's1', title: 'Two' });
    expect(touched).toEqual({ ...first, title: 'Two', updatedAt: touched.updatedAt });
    expect(Date.parse(touched.updatedAt) - Date.parse(first.updatedAt)).toBeGreaterThanOrEqual(
      HOUR,
    );
    const { project, title } = await room.ask('getSession', { key: 's1' });
    expect([project, title]).toEqual(['/repo', 'Two']);
  }));

test('where something is called is the project of a session only while none is known', () =>
  withHooks(async (room) => {
    const here = async (projectIfNone: string) =>
      (await room.ask('registerSession', { key: 's1', projectIfNone })).project;
    expect(await here('/called/here')).toBe('/called/here');
    await room.prompt('s1', 'hi', { project: '/works/here' });
    expect(await here('/called/there')).toBe('/works/here');
    expect(await refusal(room.ask('registerSession', { key: 's1', projectIfNone: 'there' }))).toBe(
      'bad_request',
    );
  }));

test('pages of sessions have all of them once, also those of one moment, and refuse a made-up cursor', () =>
  withHooks(async (room) => {
    for (let at = 0; at < 7; at += 1) await room.ask('registerSession', { key: `s${at}` });
    await room.store.write((tx) =>
      tx.db.run(`UPDATE sessions SET updated_at = :now WHERE session_key < 's5'`, { now: tx.now }),
    );
    const all = await keys(room);
    const seen: string[] = [];
    let cursor: string | null = null;
    let pages = 0;
    do {
      const page: Awaited<ReturnType<typeof next>> = await next(cursor);
      expect(page.count).toBe(page.sessions.length);
      seen.push(...page.sessions.map(({ key }) => key));
      cursor = page.nextCursor;
      pages += 1;
    } while (cursor !== null);
    expect([seen, pages]).toEqual([all, 3]);
    expect(new Set(seen).size).toBe(7);
    const wrong = Buffer.from('s1').toString('base64url');
    expect(await refusal(next(wrong))).toBe('bad_request');

    function next(from: string | null) {
      return room.ask('listSessions', { limit: 3, ...(from !== null && { cursor: from }) });
    }
  }));

test('a claim is renewed for as long again, and none is made where nobody has one', () =>
  withHooks(async (room) => {
    const start = { harness: 'claude-code', sessionKey: 's1' };
    await room.ask('hookSessionStart', start, room.over('plugin'));
    room.clock.advance(3 * HOUR);
    const renewed = await room.ask('renewSession', { key: 's1' });
    expect(renewed).toMatchObject({ key: 's1', renewed: true });
    const left = Date.parse(renewed.expiresAt!) - Date.parse(room.store.now());
    expect(Math.round(left / HOUR)).toBe(4);
    room.clock.advance(3 * HOUR);
    expect(await room.ask('getSession', { key: 's1' })).toMatchObject({ runtimePath: 'plugin' });
    room.clock.advance(2 * HOUR);
    const gone = await room.ask('renewSession', { key: 's1' });
    expect(gone).toEqual({ key: 's1', renewed: false, expiresAt: null });
    expect(await room.ask('getSession', { key: 's1' })).toMatchObject({ runtimePath: 'unknown' });
    expect(await refusal(room.ask('renewSession', { key: 'none' }))).toBe('not_found');
  }));

test('a session is bypassed and let in again; an unknown one is not found [signet 53]', () =>
  withHooks(async (room) => {
    await room.prompt('s1', 'one');
    const bypass = (enabled: boolean) => room.ask('bypassSession', { key: 's1', enabled });
    expect(await bypass(true)).toEqual({ key: 's1', bypassed: true });
    expect(await room.prompt('s1', 'two')).toMatchObject({ bypassed: true });
    expect(await bypass(false)).toEqual({ key: 's1', bypassed: false });
    await room.prompt('s1', 'three');
    expect(room.said('s1')).toEqual(['user: one', 'user: three']);
    const unknown = room.ask('bypassSession', { key: 'none', enabled: true });
    expect(await refusal(unknown)).toBe('not_found');
  }));

test('presence counts who was active lately over all agents, for every token, without a key or a word', () =>
  withHooks(async (room) => {
    await room.prompt('old', 'gone', { agentId: 'carol' });
    room.clock.advance(5 * HOUR);
    await room.prompt('a1', 'words', { agentId: 'alice' });
    await room.prompt('a2', 'words', { agentId: 'alice' });
    await room.prompt('b1', 'words', { agentId: 'bob', harness: 'codex' });
    await room.prompt('b2', 'words', { agentId: 'bob', harness: 'codex' });
    await room.ask('hookSessionEnd', { harness: 'codex', sessionKey: 'b2', agentId: 'bob' });
    const me = callerAs({
      claims: {
        role: 'readonly',
        agentId: 'alice',
        project: null,
        permissions: ['recall'],
        expiresAt: '2999-01-01T00:00:00.000Z',
      },
    });
    const { agents } = await room.ask('getPresence', {}, me);
    expect(agents.map((one) => [one.agentId, one.harness, one.sessions])).toEqual([
      ['bob', 'codex', 1],
      ['alice', 'claude-code', 2],
    ]);
    expect(Object.keys(agents[0]!).toSorted()).toEqual([
      'agentId',
      'harness',
      'lastActivityAt',
      'sessions',
    ]);
  }));

test('an agent keeps the policy it was given, and what is left out stays as it is', () =>
  withHooks(async (room) => {
    expect(await refusal(room.ask('getAgent', { id: 'alice' }))).toBe('not_found');
    await room.prompt('a1', 'hi', { agentId: 'alice' });
    const first = { id: 'alice', name: 'alice', readPolicy: 'shared', policyGroup: null };
    expect(await room.ask('getAgent', { id: 'alice' })).toEqual(first);
    const group = { id: 'alice', readPolicy: 'group', policyGroup: 'team' } as const;
    expect(await room.ask('putAgent', group)).toEqual({ ...first, ...group });
    await room.ask('putAgent', { id: 'alice', name: 'Alice' });
    await room.prompt('a2', 'hi', { agentId: 'alice' });
    expect(await room.ask('getAgent', { id: 'alice' })).toEqual({
      ...group,
      name: 'Alice',
    });
  }));

test('a tree has sessions that programs report and those that we run, each below its parent', () =>
  withHooks(async (room) => {
    await room.prompt('main', 'hi', { project: room.workspace });
    const hook = { harness: 'claude-code', sessionKey: 'main', harnessAgentId: 'a1' };
    const { sessionKey: subagent } = await room.ask('hookSubagentStart', hook);
    const managed = await room.start({ parentSessionId: subagent! });
    const below = { harness: 'codex', sessionKey: 'inner' };
    await room.ask('hookSessionStart', below, room.child(managed.id));
    const tree = await room.ask('getTree', { key: 'main' });
    const [first] = tree.children;
    expect([first!.sessionKey, first!.kind, first!.depth]).toEqual([subagent, 'external', 1]);
    const [run] = first!.children;
    expect([run!.sessionKey, run!.kind, run!.depth]).toEqual([managed.sessionKey, 'managed', 2]);
    expect(run!.invocations.map(({ id }) => id)).toEqual([managed.id]);
    expect(run!.children.map((one) => [one.sessionKey, one.kind, one.depth])).toEqual([
      ['inner', 'external', 3],
    ]);
    expect(tree.total).toEqual({ sessions: 4, invocations: 1 });
    expect(await room.ask('getSession', { key: subagent! })).toMatchObject({ openChildren: 1 });
  }));

test('what a session is now is one word, the same in lists and trees', () =>
  withHooks(async (room) => {
    const state = async (key: string) => {
      const { state: word } = await room.ask('getSession', { key });
      const tree = await room.ask('getTree', { key });
      expect(tree.state).toBe(word);
      return word;
    };
    for (const key of ['one', 'off']) await room.prompt(key, 'hi');
    await room.ask('bypassSession', { key: 'off', enabled: true });
    const run = await room.start({ parentSessionId: 'one' });
    expect(await state('one')).toBe('active');
    expect(await state('off')).toBe('bypassed');
    expect(await state(run.sessionKey)).toBe('active');
    room.clock.advance(5 * HOUR);
    expect(await state('one')).toBe('idle');
    // Of what we run it is known that it goes on.
    expect(await state(run.sessionKey)).toBe('active');
    await room.host.play(run.id, 'done');
    expect(await state(run.sessionKey)).toBe('idle');
    await room.prompt('one', 'again');
    await room.ask('hookSessionEnd', { harness: 'claude-code', sessionKey: 'one' });
    expect(await state('one')).toBe('ended');
  }));

test('a session tells how its first prompt begins, on one line, without secrets', () =>
  withHooks(async (room) => {
    const words = async (key: string) => {
      const { firstWords } = await room.ask('getSession', { key });
      expect((await room.ask('getTree', { key })).firstWords).toBe(firstWords);
      return firstWords;
    };
    await room.ask('registerSession', { key: 'silent' });
    expect(await words('silent')).toBeNull();
    await room.prompt('one', '\n  Look at   this:\nall of it');
    await room.prompt('one', 'and this');
    expect(await words('one')).toBe('Look at this:');
    const before = 'x'.repeat(108);
    await room.prompt('long', `${before} password=abcd1234efgh5678`);
    expect(await words('long')).toBe(`${before} password=…`);
    // Half a secret would have no shape by which it is known.
    await room.prompt('cut', `say ${'\t'.repeat(3_970)}ghp_${'a1B2'.repeat(9)}`);
    expect(await words('cut')).toBe('say [redacted GitHub token]');
    await room.prompt('unspaced', '東京'.repeat(9_000));
    expect(await words('unspaced')).toMatch(/^(東京){59}東…$/);
    const { id, sessionKey } = await room.start({ prompt: 'Do it' });
    await room.host.play(id, 'done');
    expect(await words(sessionKey)).toBe('Do it');
  }));

test('whoever asks for the sessions of another agent is told of its token, not of a child', () =>
  withHooks(async (room) => {
    const alice = scoped('alice');
    await expect(room.ask('listSessions', { agentId: 'bob' }, alice)).rejects.toMatchObject({
      code: 'forbidden',
      message: 'agent bob is outside of what this token may touch',
      hint: null,
    });
    const child = room.child((await room.start()).id);
    await expect(room.ask('listSessions', { agentId: 'bob' }, child)).rejects.toMatchObject({
      hint: expect.stringContaining("child's token"),
    });
  }));

test('what is deleted meanwhile is neither renewed nor bypassed: it is not found', () =>
  withHooks(async (room) => {
    const calls = [
      () => room.ask('renewSession', { key: 's1' }),
      () => room.ask('bypassSession', { key: 's1', enabled: true }),
    ];
    for (const call of calls) {
      await room.prompt('s1', 'hi', { runtimePath: 'plugin' });
      const deleted = room.ask('deleteSession', { key: 's1' });
      expect([await refusal(call()), (await deleted).sessions]).toEqual(['not_found', 1]);
    }
  }));
