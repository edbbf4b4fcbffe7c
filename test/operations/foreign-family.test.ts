/** A family of sessions may stand in several projects: a token for one of them reaches no further through an edge. */
import { mkdirSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { withHooks, type HookRoom } from './hooks/hooks-fixture.ts';
import { refusal } from './operations-fixture.ts';
import { scoped } from './scoped-caller.ts';

const [p, q] = ['/w/p', '/w/q'];
const hook = { harness: 'claude-code', agentId: 'alice' } as const;
const start = { ...hook, sessionKey: 'child' };
const mine = scoped('alice', { project: p });
const everywhere = scoped('alice');

/** root in q, its child in p; below that one session in q, which has one in p, and one in p. */
async function settle(room: HookRoom): Promise<void> {
  const begin = (sessionKey: string, project: string, parentSessionKey?: string) =>
    room.ask('hookSessionStart', {
      ...{ ...hook, sessionKey, project, title: `title of ${sessionKey}` },
      ...(parentSessionKey !== undefined && { parentSessionKey }),
    });
  await begin('root', q);
  await room.prompt('root', 'words of the root', { agentId: 'alice' });
  await begin('child', p, 'root');
  await begin('far', q, 'child');
  await begin('behind', p, 'far');
  await begin('near', `${p}/part`, 'child');
  await room.prompt('root', 'later words of the root', { agentId: 'alice' });
}

test('a child is told nothing of a parent that its token does not reach, and nothing is kept as told', () =>
  withHooks(async (room) => {
    await settle(room);
    const kept = room.count('inherited_contexts');
    for (const source of ['clear', 'compact', 'startup'] as const) {
      expect(await room.ask('hookSessionStart', { ...start, source }, mine)).toMatchObject({
        inject: '',
      });
    }
    expect(room.count('inherited_contexts')).toBe(kept);
    for (const caller of [everywhere, scoped('alice', { project: '/w' }), room.admin]) {
      const { inject } = await room.ask('hookSessionStart', { ...start, source: 'clear' }, caller);
      expect(inject).toContain('later words of the root');
    }
  }));

test('a hook that comes again is not answered with what somebody was told who reaches further', () =>
  withHooks(async (room) => {
    await settle(room);
    const at = '2026-01-01T00:00:00.000Z';
    const sub = { ...hook, sessionKey: 'root', harnessAgentId: 'a1', childSessionKey: 'sub' };
    const again = (caller = mine) => [
      room.ask('hookSessionStart', { ...start, at }, caller),
      room.ask('hookSubagentStart', { ...sub, at, project: p }, caller),
    ];
    const told = async (caller?: typeof mine) =>
      (await Promise.all(again(caller).map((one) => one.catch(() => ({ inject: '' }))))).map(
        ({ inject }) => inject,
      );
    const first = await told(everywhere);
    expect(first).toEqual(Array(2).fill(expect.stringContaining('words of the root')));
    expect(await told()).toEqual(['', '']);
    expect(await told(everywhere)).toEqual(first);

    await room.prompt('child', 'words of the child', { agentId: 'alice' });
    const below = { ...start, harnessAgentId: 'a2', at };
    const { inject } = await room.ask('hookSubagentStart', below, mine);
    expect(inject).toContain('words of the child');
    expect((await room.ask('hookSubagentStart', below, mine)).inject).toBe(inject);
  }));

test('what a child is told of a parent in its own project stays as it was', () =>
  withHooks(async (room) => {
    await settle(room);
    await room.prompt('child', 'words of the child', { agentId: 'alice' });
    const sub = { ...start, harnessAgentId: 'a1', childSessionKey: 'sub' };
    const { inject } = await room.ask('hookSubagentStart', sub, mine);
    expect(inject).toContain('words of the child');
    expect(inject).not.toContain('root');
    expect((await room.ask('getContext', { key: 'sub' }, mine)).inherited?.text).toBe(inject);
  }));

test('the context of a child does not show what others had told it of a parent out of reach, nor of one that is gone', () =>
  withHooks(async (room) => {
    await settle(room);
    await room.prompt('child', 'words of the child', { agentId: 'alice' });
    const shown = async (caller = mine) => {
      const { inherited, offers } = await room.ask('getContext', { key: 'child' }, caller);
      expect(offers?.text).toContain('words of the child');
      return inherited?.text ?? null;
    };
    expect(await shown()).toBeNull();
    expect(await shown(everywhere)).toContain('words of the root');
    await room.store.write((tx) => tx.db.run(`DELETE FROM sessions WHERE session_key = 'root'`));
    expect(await shown()).toBeNull();
    expect(await shown(everywhere)).toContain('words of the root');
  }));

test('a tree leaves out what is out of reach, with what is below it, and does not count it', () =>
  withHooks(async (room) => {
    await settle(room);
    const tree = await room.ask('getTree', { key: 'child' }, mine);
    expect(tree).toMatchObject({
      children: [{ sessionKey: 'near', children: [] }],
      total: { sessions: 2, invocations: 0 },
      truncated: false,
    });
    expect(JSON.stringify(tree)).not.toMatch(/far|behind/);
    for (const caller of [everywhere, scoped('alice', { project: '/' }), room.admin]) {
      const whole = await room.ask('getTree', { key: 'child' }, caller);
      expect(whole.total.sessions).toBe(4);
      expect(whole.children.map(({ sessionKey }) => sessionKey)).toEqual(['far', 'near']);
    }
    expect((await room.ask('getTree', { key: 'behind' }, mine)).total.sessions).toBe(1);
  }));

test('a delete that would take something out of reach with it takes nothing, and names nothing', () =>
  withHooks(async (room) => {
    await settle(room);
    // What is at work there is not told either.
    await room.start({
      ...{ parentSessionId: 'far', agentId: 'alice' },
      context: { workspacePath: room.workspace },
    });
    const operator = scoped('alice', { role: 'operator', project: p });
    const before = ['sessions', 'turns', 'lineage'].map((table) => room.count(table));
    const refused = room.ask('deleteSession', { key: 'child' }, operator);
    await expect(refused).rejects.toMatchObject({
      code: 'forbidden',
      message: 'something below child is outside of what this token may touch',
      hint: expect.stringContaining('Nothing was deleted'),
    });
    expect(['sessions', 'turns', 'lineage'].map((table) => room.count(table))).toEqual(before);
    expect(await room.ask('deleteSession', { key: 'near' }, operator)).toMatchObject({
      sessions: 1,
    });
    const whole = scoped('alice', { role: 'operator', project: '/w' });
    expect(await refusal(room.ask('deleteSession', { key: 'behind' }, whole))).toBe('not refused');
  }));

test('a delete whose sub-agent works outside of the project is refused; of the whole agent it is not', () =>
  withHooks(async (room) => {
    await room.ask('hookSessionStart', { ...start, project: p });
    const asked = { parentSessionId: 'child', agentId: 'alice' };
    const { id } = await room.start({ ...asked, context: { workspacePath: room.workspace } });
    await room.host.play(id, 'done');
    const erase = (project?: string) =>
      refusal(
        room.ask(
          'deleteSession',
          { key: 'child' },
          scoped('alice', { role: 'operator', ...(project !== undefined && { project }) }),
        ),
      );
    expect(await erase(p)).toBe('forbidden');
    expect((await room.get(id)).status).toBe('completed');
    expect(await erase()).toBe('not refused');
  }));

test('a sub-agent is not deleted with those of it that work outside of the project', () =>
  withHooks(async (room) => {
    const folder = (name: string) => {
      mkdirSync(`${room.workspace}/${name}`);
      return { context: { workspacePath: `${room.workspace}/${name}` } };
    };
    const { id } = await room.start({ agentId: 'alice', ...folder('one') });
    await room.host.claim(id);
    const below = await room.start(
      { executionMode: 'ASYNC_POLL', ...folder('two') },
      room.child(id),
    );
    await room.ask('cancelSubagent', { id });
    const erase = (project?: string) =>
      refusal(
        room.ask(
          'deleteSubagent',
          { id },
          scoped('alice', { role: 'operator', ...(project !== undefined && { project }) }),
        ),
      );
    expect(await erase(`${room.workspace}/one`)).toBe('forbidden');
    expect((await room.get(below.id)).id).toBe(below.id);
    expect(await erase()).not.toBe('forbidden');
  }));

test('a sub-agent is given what its parent knows, and sees what is below it, wherever that works', () =>
  withHooks(async (room) => {
    await settle(room);
    const asked = { parentSessionId: 'root', agentId: 'alice' };
    const { id, sessionKey } = await room.start({
      ...asked,
      context: { workspacePath: room.workspace },
    });
    const run = await room.host.claim(id);
    expect(run.inheritedContext).toContain('words of the root');
    const child = {
      ...room.child(id),
      claims: { role: 'child', invocationId: id, agentId: 'alice' } as const,
    };
    const own = { harness: 'codex', sessionKey: 'own', parentSessionKey: sessionKey, project: q };
    expect((await room.ask('hookSessionStart', own, child)).inject).toBe(run.inheritedContext);
    // Whose words those are is asked again, also when the program's session goes on with another token.
    const again = { ...own, source: 'clear' as const };
    const elsewhere = scoped('alice', { project: q });
    expect((await room.ask('hookSessionStart', again, elsewhere)).inject).toContain('of the root');
    await room.store.write((tx) =>
      tx.db.run(`UPDATE sessions SET project = '/w/a' WHERE session_key = 'root'`),
    );
    expect((await room.ask('hookSessionStart', again, elsewhere)).inject).toBe('');
    const { inherited } = await room.ask('getContext', { key: sessionKey }, child);
    expect(inherited?.text).toBe(run.inheritedContext);
    expect((await room.ask('getTree', { key: sessionKey }, child)).total.sessions).toBe(2);
  }));
