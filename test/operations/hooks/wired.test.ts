/** What hooks set going: context for children, checkpoints and callbacks. */
import { expect, test } from '@jest/globals';
import { callerAs } from '../operations-fixture.ts';
import { line, withHooks, type HookRoom } from './hooks-fixture.ts';

const cc = { harness: 'claude-code' };
const checkpoints = (room: HookRoom) =>
  room.store.db.all<{ trigger: string; digest: string }>(
    'SELECT trigger, digest FROM session_checkpoints ORDER BY id',
  );
const late = callerAs({ claims: { role: 'admin' }, isLateHook: true });

test('a child is told what its parent knows when it starts, with a session of its own or without [signet 21, 25, 26]', () =>
  withHooks(async (room) => {
    await room.prompt('root', 'do it');
    const child = { ...cc, sessionKey: 'c', parentSessionKey: 'root' };
    const { inject } = await room.ask('hookSessionStart', child);
    expect(inject).toContain('root');
    expect(inject).toContain('User: do it');
    const sub = { ...cc, sessionKey: 'root', harnessAgentId: 'a1' };
    expect((await room.ask('hookSubagentStart', sub)).inject).toContain('User: do it');
    // A program may tell its sub-agent's start as a session's, under the key of the root.
    const alike = { ...sub, harnessAgentId: 'a2' };
    expect((await room.ask('hookSessionStart', alike)).inject).toContain('User: do it');
    expect(room.count('inherited_contexts')).toBe(3);
    const unread = { ...child, sessionKey: 'd' };
    expect((await room.ask('hookSessionStart', unread, late)).inject).toBe('');
    const { subagents } = room.deps.lastGoodConfig().memory.pipelineV2;
    subagents.inheritContext = false;
    expect((await room.ask('hookSessionStart', { ...child, sessionKey: 'e' })).inject).toBe('');
    // What it is not told it can look for.
    expect(await searched(room, 'do', 'e')).toEqual(['root']);
  }));

const searched = async (room: HookRoom, query: string, currentSessionKey: string) => {
  const { hits } = await room.ask('searchSessions', { query, currentSessionKey });
  return hits.map((hit) => hit.sessionKey);
};

test('any sub-agent that names itself searches the session that its hook said it is below [signet 45]', () =>
  withHooks(async (room) => {
    await room.prompt('root', 'a needle of the root');
    await room.prompt('other', 'a needle elsewhere');
    const sub = { ...cc, sessionKey: 'root', harnessAgentId: 'a1' };
    const { sessionKey } = await room.ask('hookSubagentStart', sub);
    expect(await searched(room, 'needle', sessionKey!)).toEqual(['root']);
  }));

test('after a compaction its summary is inherited and found, and what was said before is found all the same [signet 35]', () =>
  withHooks(async (room) => {
    await room.prompt('root', 'the heron nests by the sluice');
    const about = { ...cc, sessionKey: 'root' };
    await room.ask('hookPreCompaction', about);
    await room.ask('hookCompactionComplete', { ...about, summary: 'We spoke of birds.' });
    const child = { ...cc, sessionKey: 'c', parentSessionKey: 'root' };
    const { inject } = await room.ask('hookSessionStart', child);
    expect(inject).toContain('We spoke of birds.');
    expect(inject).not.toContain('sluice');
    expect(await searched(room, 'sluice', 'c')).toEqual(['root']);
    const { hits } = await room.ask('searchSessions', { query: 'birds', currentSessionKey: 'c' });
    expect(hits).toMatchObject([
      { sessionKey: 'root', role: 'mark', turn: 1, excerpt: 'compacted: We spoke of birds.' },
    ]);
  }));

test('a parent that nobody knows, or of another agent, is none, and its hook is heard [signet 36, 38]', () =>
  withHooks(async (room) => {
    await room.prompt('theirs', 'secret', { agentId: 'bob' });
    for (const parentSessionKey of ['nobody', 'theirs']) {
      const sessionKey = `below ${parentSessionKey}`;
      const start = { ...cc, agentId: 'alice', sessionKey, parentSessionKey };
      expect(await room.ask('hookSessionStart', start)).toEqual({ inject: '', memories: [] });
      expect(room.session(sessionKey, 'alice')).toBeDefined();
    }
    expect(room.count('lineage')).toBe(0);
  }));

test('a start that comes again is told in a line what it knows; after clear and compaction all of it [signet 10, 11]', () =>
  withHooks(async (room) => {
    await room.prompt('root', 'do it');
    const child = { ...cc, sessionKey: 'c', parentSessionKey: 'root' };
    const start = async (source: string) =>
      (await room.ask('hookSessionStart', { ...child, source })).inject;
    const full = await start('startup');
    expect(full).toContain('User: do it');
    const stub = '## Inherited from Parent Session\n\nAs told before (root).';
    expect(await start('resume')).toBe(stub);
    expect(await start('clear')).toBe(full);
    expect(await start('resume')).toBe(stub);
    // Some programs tell that it was cleared by its end alone.
    await room.ask('hookSessionEnd', { ...cc, sessionKey: 'c', reason: 'clear' });
    expect(await start('startup')).toBe(full);
    await room.ask('hookSessionEnd', { ...cc, sessionKey: 'c', reason: 'logout' });
    expect(await start('startup')).toBe(stub);
    await room.ask('hookCompactionComplete', { ...cc, sessionKey: 'c', summary: 'so far' });
    expect(await start('resume')).toBe(full);
    expect(await start('resume')).toBe(stub);
    expect(await start('compact')).toBe(full);
    await room.prompt('root', 'and that');
    expect(await start('resume')).toContain('User: and that');
  }));

test.each(['default', 'alice'])(
  'checkpoint, focal entities and constraints are inherited at both starts, whatever the agent is called: %s [signet 27]',
  (agentId) =>
    withHooks(async (room) => {
      const attributes = [{ kind: 'constraint' as const, content: 'never reboot it by day' }];
      const aspects = [{ name: 'rules', attributes }];
      await room.ask('putEntity', { entity: 'Juniper', agentId, aspects });
      await room.prompt('root', 'audit the Juniper switch', { agentId });
      const about = { ...cc, sessionKey: 'root', agentId };
      await room.ask('hookCompactionComplete', { ...about, summary: 'We audit the Juniper.' });
      const child = { ...cc, sessionKey: 'c', agentId, parentSessionKey: 'root' };
      const starts = [
        await room.ask('hookSessionStart', child),
        await room.ask('hookSubagentStart', { ...about, harnessAgentId: 'a1' }),
      ];
      for (const { inject } of starts) {
        expect(inject).toContain('Checkpoint:\n  We audit the Juniper.');
        expect(inject).toContain('Focal entities: Juniper');
        expect(inject).toContain('Active constraints:\n  - Juniper: never reboot it by day');
      }
    }),
);

test("an isolated agent is told nothing of another agent's checkpoint in the same project [signet 37]", () =>
  withHooks(async (room) => {
    await room.ask('putAgent', { id: 'carol', readPolicy: 'isolated' });
    const of = (agentId: string, sessionKey: string) => ({
      ...cc,
      agentId,
      sessionKey,
      project: '/repo',
    });
    await room.prompt('b', 'the plan of bob', { agentId: 'bob', project: '/repo' });
    await room.ask('hookPreCompaction', of('bob', 'b'));
    expect(checkpoints(room)).toHaveLength(1);
    const named = { ...of('carol', 'c'), parentSessionKey: 'b', harnessAgentId: 'x' };
    const starts = [
      await room.ask('hookSessionStart', of('carol', 'fresh')),
      await room.ask('hookSessionStart', { ...of('carol', 'own'), harnessAgentId: 'own' }),
      await room.ask('hookSessionStart', named),
      await room.ask('hookSubagentStart', { ...of('carol', 'b'), harnessAgentId: 'a1' }),
    ];
    expect(starts.map(({ inject }) => inject)).toEqual(['', '', '', '']);
  }));

test('prompts of which a transcript alone tells are counted, each once, however many come together', () =>
  withHooks(async (room) => {
    const own = { harness: 'claude-code', sessionKey: 'root' };
    let transcript = '';
    const tell = (n: number) => {
      transcript += line('user', `question ${n}`) + line('assistant', `answer ${n}`);
    };
    const stop = () => room.ask('hookStop', { ...own, transcript });
    const made = () => checkpoints(room).map(({ trigger }) => trigger);
    await room.prompt('root', 'question 0');
    for (let n = 0; n < 9; n += 1) {
      tell(n);
      await stop();
      await stop();
    }
    expect(made()).toEqual([]);
    tell(9);
    await stop();
    expect(made()).toEqual(['prompts']);
    expect(checkpoints(room)[0]!.digest).toContain('question 9');
    for (let n = 10; n < 33; n += 1) tell(n);
    await room.report('root', transcript);
    expect([made(), room.session('root')!.prompt_count]).toEqual([['prompts', 'prompts'], 33]);
  }));

test('compaction and end are checkpoints, and every tenth prompt, a repeat counting nothing', () =>
  withHooks(async (room) => {
    for (let n = 1; n <= 10; n += 1) {
      expect(checkpoints(room)).toEqual([]);
      for (const _ of [1, 2]) await room.prompt('s', `p${n}`, { idempotencyKey: `k${n}` });
    }
    const session = { ...cc, sessionKey: 's' };
    await room.prompt('s', 'p11');
    await room.prompt('s', 'p11');
    expect(room.session('s')!.prompt_count).toBe(11);
    await room.ask('hookPreCompaction', session);
    await room.ask('hookCompactionComplete', { ...session, summary: 'so far' });
    await room.ask('hookCompactionComplete', { ...session, summary: 'so far' });
    await room.prompt('s', 'p12');
    await room.ask('hookSessionEnd', session);
    const made = checkpoints(room);
    const triggers = ['prompts', 'pre_compaction', 'compaction', 'session_end'];
    expect(made.map(({ trigger }) => trigger)).toEqual(triggers);
    expect(made[2]!.digest).toBe('so far');
  }));

test('callbacks are offered at prompt and stop; a repeat and a late hook offer nothing anew', () =>
  withHooks(async (room) => {
    await room.prompt('main', 'start');
    const child = async (answer: string) => {
      const { id } = await room.start({ executionMode: 'ASYNC_CALLBACK', parentSessionId: 'main' });
      await room.host.play(id, answer);
    };
    const states = async () => (await room.callbacks('main')).map(({ state }) => state);
    const offers = () => room.store.db.all('SELECT offers FROM mailbox ORDER BY seq');
    await child('first');
    const hook = { ...cc, sessionKey: 'main' };
    expect(
      (await room.ask('hookUserPromptSubmit', { ...hook, userMessage: 'x' }, late)).inject,
    ).toBe('');
    const one = await room.prompt('main', 'one', { idempotencyKey: 'k1' });
    expect(one).toMatchObject({ inject: expect.stringContaining('first'), reason: 'callbacks' });
    expect(await room.prompt('main', 'one', { idempotencyKey: 'k1' })).toEqual(one);
    expect(offers()).toEqual([{ offers: 1 }]);
    const again = { ...hook, userMessage: 'one', idempotencyKey: 'k1' };
    await room.ask('hookUserPromptSubmit', again, late);
    expect((await room.ask('hookStop', hook)).inject).toContain('repeat="true"');
    await child('second');
    const goesOn = { ...hook, stopHookActive: true };
    expect((await room.ask('hookStop', goesOn)).inject).toMatch(/^(?!.*first).*second/s);
    expect(await states()).toEqual(['delivered', 'queued']);
    expect((await room.ask('hookStop', { ...goesOn, idempotencyKey: 'k2' })).inject).toBe('');
    expect(await states()).toEqual(['delivered', 'delivered']);
  }));

test('a prompt that is sent late once more takes its offer back: nobody has read its first answer', () =>
  withHooks(async (room) => {
    await waiting(room, 'the answer');
    const prompt = { ...cc, sessionKey: 'main', userMessage: 'one', idempotencyKey: 'k1' };
    expect((await room.ask('hookUserPromptSubmit', prompt)).reason).toBe('callbacks');
    await room.ask('hookUserPromptSubmit', prompt, late);
    // A turn that is over has read what was offered before it: not this.
    expect(await stopWith(room, { idempotencyKey: 'k2' })).toContain('repeat="true"');
    expect(await stateOf(room)).toEqual(['queued']);
    expect(await stopWith(room, { idempotencyKey: 'k3' })).toBe('');
    expect(await stateOf(room)).toEqual(['delivered']);
  }));

/** A session with a callback that waits for it. */
async function waiting(room: HookRoom, answer: string): Promise<void> {
  await room.prompt('main', 'start');
  await oneMore(room, answer);
}
async function oneMore(room: HookRoom, answer: string): Promise<void> {
  const { id } = await room.start({ executionMode: 'ASYNC_CALLBACK', parentSessionId: 'main' });
  await room.host.play(id, answer);
}
const stopWith = async (room: HookRoom, more: Record<string, unknown> = {}) =>
  (await room.ask('hookStop', { ...cc, sessionKey: 'main', ...more })).inject;
const stateOf = async (room: HookRoom) => (await room.callbacks('main')).map(({ state }) => state);

test('a stop that comes again without a name settles nothing: its answer may not have been read', () =>
  withHooks(async (room) => {
    await waiting(room, 'the answer');
    const stop = { lastAssistantMessage: 'done' };
    expect(await stopWith(room, stop)).toContain('the answer');
    const again = await stopWith(room, stop);
    expect(again).toContain('the answer');
    expect(again).toContain('repeat="true"');
    expect(await stateOf(room)).toEqual(['queued']);
    expect(await stopWith(room, { lastAssistantMessage: 'I have read it' })).toBe('');
    expect(await stateOf(room)).toEqual(['delivered']);
  }));

test.each([
  ['a key of its own', { idempotencyKey: 'k2' }],
  ['a time of its own', { at: '2026-03-08T11:00:00Z' }],
  ['word that the program went on because of it', { stopHookActive: true }],
])('the next stop settles what the one before has offered, when it brings %s', (_, more) =>
  withHooks(async (room) => {
    await waiting(room, 'the answer');
    const first = { idempotencyKey: 'k1', at: '2026-03-08T10:00:00Z' };
    const offered = await stopWith(room, first);
    expect(await stopWith(room, first)).toBe(offered);
    expect(await stateOf(room)).toEqual(['queued']);
    expect(await stopWith(room, more)).toBe('');
    expect(await stateOf(room)).toEqual(['delivered']);
  }),
);

test('an answer from before the offer that its transcript tells only now settles nothing', () =>
  withHooks(async (room) => {
    await waiting(room, 'the answer');
    expect(await stopWith(room)).toContain('the answer');
    const before = new Date(room.clock.now().getTime() - 60_000).toISOString();
    const said = line('user', 'start') + line('assistant', 'working', { timestamp: before });
    expect(await stopWith(room, { transcript: said })).toContain('repeat="true"');
    const after = room.clock.now().toISOString();
    const read = said + line('assistant', 'I have read it', { timestamp: after });
    expect(await stopWith(room, { transcript: read })).toBe('');
    expect(await stateOf(room)).toEqual(['delivered']);
  }));

test('a program that tells nothing of itself can stop all the same; its next prompt is offered it again', () =>
  withHooks(async (room) => {
    await waiting(room, 'the answer');
    for (let n = 0; n < 3; n += 1) expect(await stopWith(room)).toContain('the answer');
    expect(await stopWith(room)).toBe('');
    await oneMore(room, 'another');
    expect(await stopWith(room)).toMatch(/^(?!.*the answer).*another/s);
    expect((await room.prompt('main', 'and now?')).inject).toContain('the answer');
    expect(await stateOf(room)).toEqual(['queued', 'queued']);
  }));

test.each([
  [4, ''],
  [null, 'User: old'],
])('a parent that was idle for five hours is guessed where %s hours are allowed', (hours, words) =>
  withHooks(async (room) => {
    room.deps.lastGoodConfig().memory.pipelineV2.subagents.parentIdleHours = hours;
    await room.prompt('old', 'old', { project: '/repo' });
    room.clock.advance(5 * 3_600_000);
    const start = { ...cc, sessionKey: 'new', project: '/repo', harnessAgentId: 'new' };
    const { inject } = await room.ask('hookSessionStart', start);
    expect(inject).toContain(words);
    expect(inject === '').toBe(words === '');
  }),
);
