import { expect, test } from '@jest/globals';
import { limits } from '../../../contract/limits.ts';
import { nextSessionStep } from '../../../store/lifecycle/next-step.ts';
import { callerAs, refusal } from '../operations-fixture.ts';
import { everyHook, hookNames, line, withHooks } from './hooks-fixture.ts';

test('a new agent is registered as shared; a policy that is there is kept [signet 9]', async () => {
  await withHooks(async (room) => {
    room.store.db.run(
      "INSERT INTO agents (id, name, read_policy) VALUES ('alice', 'Alice', 'isolated')",
    );
    for (const agentId of ['alice', 'bob']) {
      await room.ask('hookSessionStart', { harness: 'x', sessionKey: `of ${agentId}`, agentId });
    }
    const policies = room.store.db.all('SELECT id, name, read_policy FROM agents ORDER BY id');
    expect(policies).toEqual([
      { id: 'alice', name: 'Alice', read_policy: 'isolated' },
      { id: 'bob', name: 'bob', read_policy: 'shared' },
    ]);
  });
});

test("a session's workflow tells by its details that the session is over, and that it goes on again", async () => {
  await withHooks(async (room) => {
    const around = { homeId: 'h', attributes: [], sessionIdleMs: 1000 };
    const details = async () => {
      const { store } = room;
      return (await store.write((tx) => nextSessionStep(tx, around, 'default', 's1'))).details;
    };
    const session = { harness: 'x', sessionKey: 's1' };
    await room.ask('hookSessionStart', session);
    expect(await details()).toBe('**s1** · x · 0 open');
    await room.ask('hookSessionEnd', session);
    expect(await details()).toMatch(/^\*\*s1\*\* · x · 0 open · ended 2026-/);
    await room.ask('hookSessionStart', { ...session, source: 'resume' });
    expect(await details()).toBe('**s1** · x · 0 open');
  });
});

test('a hook without an agent goes to the one that knows the key, then the key says, then default', async () => {
  await withHooks(async (room) => {
    await room.prompt('s1', 'mine', { agentId: 'alice' });
    await room.prompt('session:s1', 'mine, too');
    expect(room.said('s1', 'alice')).toEqual(['user: mine', 'user: mine, too']);
    await room.prompt('agent:carol:main', 'hers');
    await room.prompt('s2', 'nobody in particular');
    expect(room.said('agent:carol:main', 'carol')).toEqual(['user: hers']);
    expect(room.said('s2', 'default')).toHaveLength(1);
    await room.prompt('s1', 'his', { agentId: 'bob' });
    expect(await refusal(room.prompt('s1', 'whose?'))).toBe('parent_conflict');
  });
});

test("a child's token reports its own agent's sessions, those below it and new ones", async () => {
  await withHooks(async (room) => {
    const { id } = await room.start({ agentId: 'alice' });
    const child = room.child(id);
    const prompt = (more: object) =>
      room.ask('hookUserPromptSubmit', { harness: 'codex', userMessage: 'hi', ...more }, child);
    await prompt({ sessionKey: 'inner' });
    expect(room.said('inner', 'alice')).toEqual(['user: hi']);
    const edge = room.store.db.get('SELECT rule FROM lineage WHERE session_id = :id', {
      id: room.session('inner', 'alice')!.id,
    });
    expect(edge).toEqual({ rule: 'spawned' });
    expect(await refusal(prompt({ sessionKey: 'inner', agentId: 'bob' }))).toBe('forbidden');
    await room.prompt('another', 'not yours', { agentId: 'alice' });
    expect(await refusal(prompt({ sessionKey: 'another' }))).toBe('forbidden');
  });
});

test('compaction, clear and end are marks; nothing before them goes [signet 58]', async () => {
  await withHooks(async (room) => {
    const ask = (name: 'hookCompactionComplete' | 'hookPreCompaction', summary: string) =>
      room.ask(name, { harness: 'x', sessionKey: 's1', summary } as never);
    await room.prompt('s1', 'one');
    expect(await ask('hookPreCompaction', '')).toMatchObject({
      summaryPrompt: expect.stringContaining('Sum up'),
      guidelines: expect.stringContaining('- '),
    });
    expect(room.session('s1')!.context_epoch).toBe(0);
    expect(await ask('hookCompactionComplete', 'so far')).toEqual({
      success: true,
      memoryId: null,
      contextEpoch: 1,
    });
    expect(await ask('hookCompactionComplete', 'so far')).toMatchObject({ contextEpoch: 1 });
    await room.prompt('s1', 'two');
    expect(await ask('hookCompactionComplete', 'and more')).toMatchObject({ contextEpoch: 2 });
    await room.ask('hookSessionStart', { harness: 'x', sessionKey: 's1', source: 'clear' });
    await room.ask('hookSessionEnd', { harness: 'x', sessionKey: 's1', reason: 'exit' });
    expect(room.session('s1')!.context_epoch).toBe(3);
    expect(room.all('s1')).toEqual([
      'user: one',
      'mark: about to be compacted',
      'mark: compacted: so far',
      'user: two',
      'mark: compacted: and more',
      'mark: cleared',
      'mark: ended: exit',
    ]);
    expect(room.said('s1')).toEqual(['user: one', 'user: two']);
  });
});

test('a start after clear under a new key leaves every other session as it is [signet 63]', async () => {
  await withHooks(async (room) => {
    await room.prompt('old', 'still mine', { project: '/repo' });
    const before = room.store.db.all("SELECT * FROM sessions WHERE session_key = 'old'");
    await room.ask('hookSessionStart', {
      harness: 'claude-code',
      sessionKey: 'new',
      project: '/repo',
      source: 'clear',
    });
    expect(room.store.db.all("SELECT * FROM sessions WHERE session_key = 'old'")).toEqual(before);
    expect(room.said('old')).toEqual(['user: still mine']);
  });
});

test('a second end is skipped, and an end without a project keeps the known one [signet 55]', async () => {
  await withHooks(async (room) => {
    await room.prompt('s1', 'one', { project: '/repo' });
    const end = (more: object = {}) =>
      room.ask('hookSessionEnd', { harness: 'claude-code', sessionKey: 's1', ...more });
    expect(await end()).toEqual({ memoriesSaved: 0, queued: false });
    expect(await end()).toMatchObject({ skipped: true, duplicateSessionEnd: true });
    expect(room.session('s1')).toMatchObject({ project: '/repo', ended_at: expect.any(String) });
    const transcript = line('user', 'one') + line('assistant', 'a late answer');
    expect(await end({ transcript })).toEqual({ memoriesSaved: 0, queued: false });
    expect(room.said('s1')).toEqual(['user: one', 'assistant: a late answer']);
    const told = { lastAssistantMessage: 'its last words' };
    expect(await end(told)).toEqual({ memoriesSaved: 0, queued: false });
    expect(await end(told)).toMatchObject({ skipped: true, duplicateSessionEnd: true });
    const { offers } = await room.ask('getContext', { key: 's1' });
    expect(offers!.text).toContain('Last answer: its last words');
    await room.prompt('s1', 'on again');
    expect(room.session('s1')!.ended_at).toBeNull();
  });
});

test('a project is the same folder with and without slashes at its end', () =>
  withHooks(async (room) => {
    const cases = { root: '/repo/', s1: '/repo//', s2: '/repo', s3: '/' };
    for (const [key, project] of Object.entries(cases)) await room.prompt(key, 'hi', { project });
    await room.ask('registerSession', { key: 's4', project: '/repo/' });
    const sub = { harness: 'claude-code', sessionKey: 'c', harnessAgentId: 'c' };
    await room.ask('hookSessionStart', { ...sub, project: '/repo/' });
    const found = await room.ask('listSessions', { project: '/repo/' });
    expect(found.sessions.map(({ key }) => key).toSorted()).toEqual([
      'c',
      'root',
      's1',
      's2',
      's4',
    ]);
    expect(room.session('s3')!.project).toBe('/');
    expect(room.count('lineage')).toBe(1);
    const token = { role: 'agent' as const, agentId: 'alice', project: '/repo/' };
    expect((await room.ask('createToken', token)).project).toBe('/repo');
  }));

test('the session appears at its first hook and moves with each; its beginning stays [signet 15]', async () => {
  await withHooks(async (room) => {
    await room.prompt('s1', 'one');
    const first = room.session('s1')!;
    room.clock.advance(60_000);
    await room.prompt('s1', 'two');
    const second = room.session('s1')!;
    expect(second.created_at).toBe(first.created_at);
    expect(second.updated_at > first.updated_at).toBe(true);
  });
});

test("workflows hear of a session's beginning and end, and not of its turns", async () => {
  await withHooks(async (room) => {
    await room.ask('hookSessionStart', everyHook.hookSessionStart);
    expect(room.count('outbox')).toBe(1);
    for (let turn = 0; turn < 5; turn += 1) await room.prompt('s1', `turn ${turn}`);
    expect(room.count('outbox')).toBe(1);
    room.store.db.run("UPDATE outbox SET state = 'sent'");
    await room.ask('hookSessionEnd', everyHook.hookSessionEnd);
    expect(room.count('outbox')).toBe(2);
  });
});

test('a hook that names no session keeps nothing and is answered in its shape', async () => {
  await withHooks(async (room) => {
    for (const name of hookNames) {
      if (name === 'hookSessionCheckpointExtract') continue;
      const { sessionKey: _, ...hook } = everyHook[name] as { sessionKey: string; harness: string };
      expect(await room.ask(name, hook as never)).toBeDefined();
    }
    expect([room.count('sessions'), room.count('turns')]).toEqual([0, 0]);
  });
});

test('what comes late from before the end leaves a session ended; what comes after it goes on', () =>
  withHooks(async (room) => {
    const before = room.clock.now().toISOString();
    const s1 = { harness: 'claude-code', sessionKey: 's1' };
    const isOver = () => room.session('s1')!.ended_at !== null;
    await room.prompt('s1', 'one', { project: '/repo' });
    room.clock.advance(1000);
    await room.ask('hookSessionEnd', s1);
    await room.ask('hookStop', { ...s1, at: before, lastAssistantMessage: 'an answer' });
    const late = callerAs({ claims: { role: 'admin' }, isLateHook: true });
    const two = { ...s1, at: before, userMessage: 'two' };
    await room.ask('hookUserPromptSubmit', two, late);
    expect([isOver(), room.said('s1').length]).toEqual([true, 3]);
    expect((await room.ask('listSessions', { active: true })).count).toBe(0);
    const sub = { ...s1, sessionKey: 'c', harnessAgentId: 'c', project: '/repo' };
    await room.ask('hookSessionStart', sub);
    expect(room.count('lineage')).toBe(0);
    await room.ask('hookStop', { ...s1, at: room.clock.now().toISOString() });
    expect(isOver()).toBe(false);
    // Told by a clock that is ahead of ours: what begins it again and says no time goes on all the same.
    room.clock.advance(1000);
    const ahead = new Date(room.clock.now().getTime() + 4 * 60_000).toISOString();
    await room.ask('hookSessionEnd', { ...s1, at: ahead });
    await room.ask('hookStop', s1);
    expect(isOver()).toBe(true);
    await room.ask('hookSessionStart', s1);
    expect(isOver()).toBe(false);
  }));

test('workflows hear that an ended session goes on, and of each child that comes and ends', () =>
  withHooks(async (room) => {
    const pokes = () => {
      const rows = room.store.db.all<{ key: string }>(
        `SELECT s.session_key AS key FROM outbox o JOIN sessions s ON s.id = o.target_session_id
         WHERE o.kind = 'session' ORDER BY o.id`,
      );
      room.store.db.run('DELETE FROM outbox');
      return rows.map(({ key }) => key);
    };
    const root = { harness: 'opencode', sessionKey: 'root' };
    const child = { harness: 'opencode', sessionKey: 'child' };
    await room.ask('hookSessionStart', root);
    await room.ask('hookSessionEnd', root);
    expect(pokes()).toEqual(['root', 'root']);
    await room.ask('hookSessionStart', { ...root, source: 'resume' });
    expect(pokes()).toEqual(['root']);
    await room.prompt('root', 'go on');
    expect(pokes()).toEqual([]);
    await room.ask('hookSessionStart', { ...child, parentSessionKey: 'root' });
    expect(pokes().toSorted()).toEqual(['child', 'root']);
    await room.ask('hookSessionStart', { ...child, parentSessionKey: 'root' });
    expect(pokes()).toEqual([]);
    await room.ask('hookSessionEnd', child);
    await room.ask('hookSessionEnd', child);
    expect(pokes().toSorted()).toEqual(['child', 'root']);
    const sub = { ...root, harnessAgentId: 'a1' };
    const { sessionKey } = await room.ask('hookSubagentStart', sub);
    expect(pokes().toSorted()).toEqual(['root', sessionKey!].toSorted());
    await room.ask('hookSubagentStop', sub);
    expect(pokes().toSorted()).toEqual(['root', sessionKey!].toSorted());
  }));

test('a sub-agent that has ended is held by nobody and not at work, and those whose end nobody tells end with their session', () =>
  withHooks(async (room) => {
    const own = { harness: 'claude-code', sessionKey: 's1' };
    const over = room.over('legacy');
    const of = (harnessAgentId: string) => ({ ...own, harnessAgentId });
    const atWork = async () => {
      const { sessions } = await room.ask('listSessions', { active: true });
      return sessions.map(({ key, runtimePath }) => `${key} ${runtimePath}`).toSorted();
    };
    const open = async () => (await room.ask('getSession', { key: 's1' })).openChildren;
    await room.ask('hookSessionStart', own, over);
    for (const id of ['done', 'killed']) await room.ask('hookSubagentStart', of(id), over);
    const inner = { ...of('inner'), parentHarnessAgentId: 'killed' };
    await room.ask('hookSubagentStart', inner, over);
    const other = { harness: 'opencode', sessionKey: 'apart', parentSessionKey: 's1' };
    await room.ask('hookSessionStart', other);
    expect([await open(), (await atWork()).length]).toEqual([3, 5]);
    await room.ask('hookSubagentStop', of('done'), over);
    expect(await atWork()).toEqual([
      'apart unknown',
      's1 legacy',
      's1:inner legacy',
      's1:killed legacy',
    ]);
    expect(await open()).toBe(2);
    await room.ask('hookSessionEnd', own, over);
    expect([await atWork(), await open()]).toEqual([['apart unknown'], 1]);
    expect(room.all('s1:inner').at(-1)).toBe('mark: ended: with its session');
    expect(room.all('s1:done').at(-1)).toBe('mark: ended');
    // The other path may go on with it.
    await room.ask('hookSubagentStart', of('done'), room.over('plugin'));
    room.clock.advance(limits.claimMs + 1);
    expect(await open()).toBe(0);
  }));

test('a start or prompt that comes now goes on with an ended session, also by a clock that is somewhat behind', () =>
  withHooks(async (room) => {
    const s1 = { harness: 'claude-code', sessionKey: 's1' };
    const isOver = () => room.session('s1')!.ended_at !== null;
    const ago = (ms: number) => new Date(room.clock.now().getTime() - ms).toISOString();
    await room.ask('hookSessionStart', s1);
    for (const name of ['hookSessionStart', 'hookUserPromptSubmit'] as const) {
      await room.ask('hookSessionEnd', s1);
      const ask = (ms: number, caller = room.admin) =>
        room.ask(name, { ...s1, at: ago(ms), userMessage: `${ms}` } as never, caller);
      await ask(10 * 60_000);
      expect(isOver()).toBe(true);
      await ask(120_000, callerAs({ claims: { role: 'admin' }, isLateHook: true }));
      expect(isOver()).toBe(true);
      await room.ask('hookStop', { ...s1, at: ago(130_000) });
      expect(isOver()).toBe(true);
      await ask(140_000);
      expect(isOver()).toBe(false);
    }
  }));
