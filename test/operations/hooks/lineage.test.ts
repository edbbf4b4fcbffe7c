/** Below which session a program's hooks put its sub-agents. */
import { expect, test } from '@jest/globals';
import { operations } from '../../../contract/operations.ts';
import { hooksOf } from '../../../harnesses/hooks-of.ts';
import { readHook } from '../../../harnesses/hooks.ts';
import { callerAs, refusal } from '../operations-fixture.ts';
import { everyHook, hookNames, withHooks, type HookRoom } from './hooks-fixture.ts';

/** Child, parent and rule, in the order in which they came. */
const edges = (room: HookRoom) =>
  room.store.db
    .all<{ child: string; parent: string; rule: string }>(
      `SELECT c.session_key AS child, p.session_key AS parent, l.rule FROM lineage l
       JOIN sessions c ON c.id = l.session_id JOIN sessions p ON p.id = l.parent_session_id
       ORDER BY c.id`,
    )
    .map(({ child, parent, rule }) => `${child} < ${parent} by ${rule}`);

test('sub-agents are sessions of their own, below the one that asked [signet 25, 26]', async () => {
  await withHooks(async (room) => {
    await room.prompt('root', 'do it');
    const hook = { harness: 'claude-code', sessionKey: 'root', harnessAgentId: 'a1' };
    const started = await room.ask('hookSubagentStart', { ...hook, agentType: 'Explore' });
    expect(started).toMatchObject({
      ...{ inject: expect.stringContaining('User: do it'), memories: [] },
    });
    const key = started.sessionKey!;
    await room.ask('hookSubagentStop', { ...hook, lastAssistantMessage: 'found it' });
    expect(room.all(key)).toEqual(['mark: started: Explore', 'assistant: found it', 'mark: ended']);
    expect(room.session(key)).toMatchObject({ title: 'Explore', ended_at: expect.any(String) });
    expect(room.said('root')).toEqual(['user: do it']);
    const tree = await room.ask('getTree', { key: 'root' });
    expect(tree.children.map((child) => child.sessionKey)).toEqual([key]);
  });
});

test('a sub-agent is below its session also where its start is the first that is heard of that', () =>
  withHooks(async (room) => {
    const hook = { harness: 'claude-code', sessionKey: 'root', harnessAgentId: 'a1' };
    await room.ask('hookSubagentStart', { ...hook, project: '/repo' });
    await room.ask('hookSubagentStop', { ...hook, lastAssistantMessage: 'found it' });
    expect(edges(room)).toEqual(['root:a1 < root by subagent_start']);
    expect(room.session('root')).toMatchObject({
      ...{ harness: 'claude-code', project: '/repo', ended_at: null, harness_agent_id: null },
    });
    expect((await room.prompt('root', 'and now?')).sessionKnown).toBe(true);
    // Of a program that we run it is below what we run.
    const { id } = await room.start({});
    const inner = { harness: 'codex', sessionKey: 'inner', harnessAgentId: 'a2' };
    await room.ask('hookSubagentStart', inner, room.child(id));
    expect(edges(room).slice(-2)).toEqual([
      `inner < ${room.row(id).session_key} by spawned`,
      'inner:a2 < inner by subagent_start',
    ]);
  }));

test.each(['copilot-cli', 'copilot', 'GitHub_Copilot'])(
  'a sub-agent of a sub-agent stands below it, and its program has one name: %s',
  (harness) =>
    withHooks(async (room) => {
      const hooks = await hooksOf(harness);
      for (const [name, more] of [
        ['sessionStart', {}],
        ['subagentStart', { agentId: 'a1', parentAgentId: 'root' }],
        ['subagentStart', { agentId: 'a2', parentAgentId: 'a1' }],
      ] as const) {
        const payload = { sessionId: 'root', cwd: '/r', ...more };
        const { event, request } = readHook(hooks, { harness, name, payload })!;
        const hook = hookNames.find((one) => operations[one].path.endsWith(`/${event}`))!;
        await room.ask(hook, request as never);
      }
      expect(edges(room)).toEqual(['a1 < root by subagent_start', 'a2 < a1 by parent_agent']);
      expect(room.session('a2')!.harness).toBe('copilot-cli');
    }),
);

test('whichever of its names a program is given, its sessions are of one program', () =>
  withHooks(async (room) => {
    await room.ask('registerSession', { key: 'root', harness: 'claude', project: '/repo' });
    const start = { sessionKey: 'c', harnessAgentId: 'c', project: '/repo' };
    await room.ask('hookSessionStart', { harness: 'Claude_Code', ...start });
    expect(edges(room)).toEqual(['c < root by recency']);
    await room.ask('hookStop', { harness: 'my-agent', sessionKey: 'other' });
    for (const harness of ['claude', 'claude-code']) {
      expect((await room.ask('listSessions', { harness })).count).toBe(2);
    }
    expect((await room.ask('listSessions', { harness: 'my-agent' })).count).toBe(1);
  }));

test('a token for a project goes on with the sub-agents of its sessions, which say no project', () =>
  withHooks(async (room) => {
    const permissions = ['remember', 'recall'] as ('remember' | 'recall')[];
    const claims = { role: 'agent' as const, agentId: 'alice', project: '/repo', permissions };
    const token = callerAs({ claims: { ...claims, expiresAt: '2999-01-01T00:00:00.000Z' } });
    const root = { harness: 'claude-code', sessionKey: 'root' };
    const sub = { ...root, harnessAgentId: 'a1' };
    await room.ask('hookSessionStart', { ...root, project: '/repo' }, token);
    const { sessionKey } = await room.ask('hookSubagentStart', sub, token);
    await room.ask('hookSubagentStop', { ...sub, lastAssistantMessage: 'found it' }, token);
    expect(room.said(sessionKey!, 'alice')).toEqual(['assistant: found it']);
    await room.ask(
      'hookSubagentStart',
      { ...sub, harnessAgentId: 'a2', project: '/repo/b' },
      token,
    );
    const inner = { ...sub, harnessAgentId: 'a3', parentHarnessAgentId: 'a2' };
    await room.ask('hookSubagentStart', inner, token);
    const named = { harness: 'opencode', sessionKey: 'own', agentId: 'alice' };
    await room.ask('hookSessionStart', { ...named, parentSessionKey: 'root' });
    const projects = room.store.db.all<{ project: string }>(
      'SELECT project FROM sessions ORDER BY id',
    );
    expect(projects.map(({ project }) => project)).toEqual([
      ...['/repo', '/repo', '/repo/b', '/repo/b', '/repo'],
    ]);
  }));

test('a sub-agent whose key says where it comes from stands below its program, also where we run that', () =>
  withHooks(async (room) => {
    const { id, sessionKey } = await room.start();
    const inside = room.child(id);
    const claw = { harness: 'openclaw', sessionKey: 'agent:default:main' };
    const below = 'agent:default:subagent:b1';
    await room.ask('hookSessionStart', claw, inside);
    await room.ask('hookUserPromptSubmit', { ...claw, userMessage: 'look at the tag' }, inside);
    const start = { ...claw, sessionKey: below };
    expect((await room.ask('hookSessionStart', start, inside)).inject).toContain('look at the tag');
    const lone = 'agent:default:lone:subagent:b2';
    await room.ask('hookSessionStart', { ...claw, sessionKey: lone }, inside);
    expect(edges(room)).toEqual([
      `agent:default:main < ${sessionKey} by spawned`,
      `${below} < agent:default:main by key_shape`,
      `${lone} < ${sessionKey} by spawned`,
    ]);
  }));

test('where a key puts a sub-agent gives way to who asked for it, whichever is heard first', () =>
  withHooks(async (room) => {
    const [main, asking, child] = ['main', 'discord:42', 'subagent:b1'].map(
      (key) => `agent:x:${key}`,
    );
    const harness = 'openclaw';
    const hooks = await hooksOf(harness);
    const payload = { event: {}, ctx: { requesterSessionKey: asking, childSessionKey: child } };
    const { request } = readHook(hooks, { harness, name: 'subagent_spawned', payload })!;
    for (const key of [main!, asking!, child!]) await room.prompt(key, 'hello', { harness });
    expect(edges(room)).toEqual([`${child} < ${main} by key_shape`]);
    await room.ask('hookSubagentStart', request as never);
    await room.prompt(child!, 'go on', { harness });
    expect(edges(room)).toEqual([`${child} < ${asking} by subagent_start`]);
  }));

test('a session that one of ours reports has no workflow of its parent to tell', () =>
  withHooks(async (room) => {
    const { id } = await room.start({ agentId: 'alice' });
    room.store.db.run('DELETE FROM outbox');
    const inner = { harness: 'codex', sessionKey: 'inner' };
    await room.ask('hookSessionStart', inner, room.child(id));
    await room.ask('hookSessionEnd', inner, room.child(id));
    expect(room.count('outbox')).toBe(2);
    expect(edges(room).at(-1)).toMatch(/^inner < .* by spawned$/);
  }));

test('a parent that a child may not have makes no session of nobody: it stays below the child', () =>
  withHooks(async (room) => {
    await room.prompt('another', 'mine');
    const child = await room.start({});
    const inner = { harness: 'codex', sessionKey: 'inner', parentSessionKey: 'another' };
    await room.ask('hookSessionStart', inner, room.child(child.id));
    expect(edges(room).at(-1)).toBe(`inner < ${child.sessionKey} by spawned`);
    await room.ask('hookSessionEnd', inner, room.child(child.id));
    expect(room.session('inner')?.ended_at).not.toBeNull();
  }));

test('a spawn that we made is never put below another, whatever a hook names, and of our own session no hook is heard', () =>
  withHooks(async (room) => {
    await room.prompt('another', 'mine');
    const above = await room.start({});
    const below = await room.start({}, room.child(above.id));
    const inner = { harness: 'codex', sessionKey: 'inner' };
    await room.ask('hookSessionStart', inner, room.child(below.id));
    const made = [
      `${below.sessionKey} < ${above.sessionKey} by spawned`,
      `inner < ${below.sessionKey} by spawned`,
    ];
    expect(edges(room)).toEqual(made);
    const elsewhere = { parentSessionKey: 'another' };
    await room.ask('hookSessionStart', { ...inner, ...elsewhere });
    for (const name of hookNames.filter((one) => !operations[one].path.includes('/subagent-'))) {
      for (const { sessionKey } of [above, below]) {
        const hook = { ...everyHook[name], sessionKey, ...elsewhere };
        expect([name, await refusal(room.ask(name, hook as never))]).toEqual([name, 'forbidden']);
      }
    }
    expect(edges(room)).toEqual(made);
  }));

test('who registers a session without an agent takes it for that of the agent that knows it, as its hooks do', () =>
  withHooks(async (room) => {
    await room.prompt('s1', 'one', { agentId: 'alice' });
    const register = (key: string) => room.ask('registerSession', { key, harness: 'codex' });
    expect((await register('s1')).agentId).toBe('alice');
    expect((await register('agent:carol:main')).agentId).toBe('carol');
    expect((await register('new')).agentId).toBe('default');
    await room.prompt('s1', 'two');
    expect(room.said('s1', 'alice')).toEqual(['user: one', 'user: two']);
    expect((await room.start({ parentSessionId: 's1' })).agentId).toBe('alice');
    await room.prompt('s1', 'his', { agentId: 'bob' });
    expect(await refusal(register('s1'))).toBe('parent_conflict');
  }));

const threads = { root: '01a1-root', asking: '01a1-asking', asked: '01a1-asked' };
const rollout = (thread: string) => `rollout-2026-11-18T09-34-03-${thread}.jsonl`;
const meta = (thread: string, parent: string) =>
  `${JSON.stringify({
    ...{ timestamp: '2026-11-18T09:34:03.000Z', ordinal: 0, type: 'session_meta' },
    payload: { id: thread, session_id: threads.root, parent_thread_id: parent },
  })}\n`;

async function tellCodex(
  room: HookRoom,
  name: 'SubagentStart' | 'SubagentStop',
  agent: string,
  paths: object,
) {
  const payload = { session_id: threads.root, agent_id: agent, cwd: '/r', ...paths };
  const call = readHook(await hooksOf('codex'), { harness: 'codex', name, payload })!;
  const hook = name === 'SubagentStart' ? 'hookSubagentStart' : 'hookSubagentStop';
  return room.ask(hook, call.request as never);
}

test('a sub-agent of a sub-agent of Codex stands below it from its start on, where its transcript can be read', () =>
  withHooks(async (room) => {
    const { root, asking, asked } = threads;
    await room.prompt(`${root}:${asking}`, 'what only the one that asks has heard');
    await room.prompt(root, 'what the user wants', { harness: 'codex' });
    for (const [agent, parent] of [
      [asking, root],
      [asked, asking],
    ] as const) {
      const transcript_path = room.stage(rollout(agent), meta(agent, parent));
      await tellCodex(room, 'SubagentStart', agent, { transcript_path });
    }
    expect(edges(room)).toEqual([
      `${root}:${asking} < ${root} by subagent_start`,
      `${root}:${asked} < ${root}:${asking} by parent_agent`,
    ]);
    const { inherited } = await room.ask('getContext', { key: `${root}:${asked}` });
    expect(inherited?.text).toContain('what only the one that asks has heard');
  }));

test('where it cannot be read it stands there from its stop on, which names the transcript of who asked', () =>
  withHooks(async (room) => {
    const { root, asking, asked } = threads;
    const path = (thread: string) => `/home/user/.codex/sessions/2026/11/18/${rollout(thread)}`;
    for (const agent of [asking, asked]) {
      const start = tellCodex(room, 'SubagentStart', agent, { transcript_path: path(agent) });
      expect(await refusal(start)).toBe('transcript_refused');
    }
    expect(edges(room).at(-1)).toBe(`${root}:${asked} < ${root} by subagent_start`);
    for (const [agent, parent] of [
      [asked, asking],
      [asking, root],
    ] as const) {
      const paths = { transcript_path: path(parent), agent_transcript_path: path(agent) };
      expect(await refusal(tellCodex(room, 'SubagentStop', agent, paths))).toBe(
        'transcript_refused',
      );
    }
    expect(edges(room)).toEqual([
      `${root}:${asking} < ${root} by subagent_start`,
      `${root}:${asked} < ${root}:${asking} by parent_agent`,
    ]);
  }));

test.each(['', '\n', '{', '{"type":"session_meta"}\n', `${'['.repeat(200_000)}\n`, 'User: hi\n'])(
  'a transcript of Codex that says nothing of who asked leaves its sub-agent below the session: %.20j',
  (content) =>
    withHooks(async (room) => {
      const transcript_path = room.stage(rollout(threads.asked), content);
      await tellCodex(room, 'SubagentStart', threads.asked, { transcript_path });
      expect(edges(room)).toEqual([
        `${threads.root}:${threads.asked} < ${threads.root} by subagent_start`,
      ]);
    }),
);
