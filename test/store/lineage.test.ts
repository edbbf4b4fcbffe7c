import { expect, test } from '@jest/globals';
import type { LineageHints } from '../../domain/lineage.ts';
import { lineageOf, linkSession, reportedSession } from '../../store/lineage.ts';
import { insertSession, registerSession, sessionById, setEnded } from '../../store/sessions.ts';
import { appendTurn } from '../../store/turns.ts';
import { createClock, withStore, type TestClock } from './store-fixture.ts';
import type { Store } from '../../store/index.ts';

const HOUR = 3_600_000;

interface Family {
  store: Store;
  clock: TestClock;
  /** As a hook does: registers or touches the session, and links it. */
  see(key: string, hints?: LineageHints, more?: Seen): Promise<string | null>;
  /** Parent's key, rule and depth. */
  edge(key: string): [string, string, number] | null;
  end(key: string): Promise<void>;
}
interface Seen {
  harness?: string;
  project?: string;
  agentId?: string;
  parentIdleHours?: number | null;
  /** Keys that whoever reports it may not have for a parent. */
  closed?: string[];
}

async function withFamily(use: (family: Family) => Promise<void>): Promise<void> {
  const clock = createClock();
  await withStore(
    async ({ store }) => {
      const find = (key: string) =>
        store.db.get<{ id: number }>('SELECT id FROM sessions WHERE session_key = :key', { key })!;
      const edge: Family['edge'] = (key) => {
        const found = lineageOf(store.db, find(key).id);
        if (!found) return null;
        const parent = sessionById(store.db, found.parent_session_id);
        return [parent.session_key, found.rule, found.depth];
      };
      await use({
        store,
        clock,
        edge,
        async see(key, hints = {}, more = {}) {
          clock.advance(1000);
          await store.write((tx) => {
            const session = registerSession(tx, {
              agentId: more.agentId ?? 'default',
              sessionKey: key,
              harness: more.harness ?? 'claude-code',
              project: more.project ?? '/repo',
              title: null,
            });
            setEnded(tx, session, null);
            const { parentIdleHours = 4 } = more;
            const mayBeParent = (parent: { session_key: string }) =>
              !more.closed?.includes(parent.session_key);
            linkSession(tx, session, hints, {
              at: tx.now,
              parentIdleHours: () => parentIdleHours,
              mayBeParent,
            });
          });
          return edge(key)?.[0] ?? null;
        },
        end: (key) => store.write((tx) => setEnded(tx, sessionById(tx.db, find(key).id), tx.now)),
      });
    },
    { clock: clock.now },
  );
}

const sub = (harnessAgentId: string): LineageHints => ({ harnessAgentId, isStart: true });

test('a child that names its parent has it, and the edge says how it was found [signet 21]', () =>
  withFamily(async ({ see, edge }) => {
    await see('P', {}, { harness: 'opencode' });
    await see('C', { parentSessionKey: 'P' }, { harness: 'opencode' });
    expect(edge('C')).toEqual(['P', 'explicit', 1]);
  }));

test('the keys of OpenClaw tell the parent, nested ones too [signet 22, 23]', () =>
  withFamily(async ({ see, edge }) => {
    await see('agent:a:main', {}, { harness: 'openclaw' });
    await see('agent:a:subagent:u1', {}, { harness: 'openclaw' });
    await see('agent:a:subagent:u1:subagent:u2', {}, { harness: 'openclaw' });
    expect(edge('agent:a:subagent:u1')).toEqual(['agent:a:main', 'key_shape', 1]);
    expect(edge('agent:a:subagent:u1:subagent:u2')).toEqual([
      'agent:a:subagent:u1',
      'key_shape',
      2,
    ]);
  }));

test('a running sibling is never taken for the parent [signet 24]', () =>
  withFamily(async ({ see, edge }) => {
    await see('P');
    await see('A', sub('a'));
    await see('A', { harnessAgentId: 'a' });
    // One that its program reports as a session of its own, with no agent id.
    await see('C', { parentSessionKey: 'P' });
    await see('B', sub('b'));
    expect([edge('A'), edge('B')]).toEqual([
      ['P', 'recency', 1],
      ['P', 'recency', 1],
    ]);
  }));

test('of two parents in one project the one active last is it, and a tie is decided alike each time [signet 40]', () =>
  withFamily(async ({ store, see }) => {
    await see('P1');
    await see('P2');
    await see('P1');
    expect(await see('A', sub('a'))).toBe('P1');
    await store.write(({ db }) =>
      db.run(`UPDATE sessions SET updated_at = '2026-03-01T12:00:30Z'`),
    );
    expect([await see('B', sub('b')), await see('C', sub('c'))]).toEqual(['P2', 'P2']);
  }));

test('who has spoken again after hours comes before who was there in between', () =>
  withFamily(async ({ see, clock, store }) => {
    await see('old');
    clock.advance(2 * HOUR);
    await see('new');
    clock.advance(2 * HOUR);
    await store.write((tx) => appendTurn(tx, { sessionId: 1, role: 'user', text: 'go on' }));
    expect(await see('child', sub('a'), { parentIdleHours: null })).toBe('old');
  }));

test('no session of another project, harness or agent is guessed to be the parent', () =>
  withFamily(async ({ see }) => {
    await see('other project', {}, { project: '/elsewhere' });
    await see('other harness', {}, { harness: 'codex' });
    await see('other agent', {}, { agentId: 'bob' });
    expect(await see('A', sub('a'))).toBe(null);
  }));

test('who has ended, or has been idle for too long, is not guessed to be the parent', () =>
  withFamily(async ({ see, end, clock }) => {
    await see('P');
    clock.advance(4 * HOUR - 5000);
    expect(await see('in time', sub('a'))).toBe('P');
    clock.advance(10_000);
    expect(await see('too late', sub('b'))).toBe(null);
    expect(await see('no limit', sub('c'), { parentIdleHours: null })).toBe('P');
    await see('P');
    await end('P');
    expect(await see('after its end', sub('d'), { parentIdleHours: null })).toBe(null);
    await see('P');
    expect(await see('resumed', sub('e'))).toBe('P');
  }));

test('a parent named that is not there, or is of another agent, is nobody [signet 36, 38]', () =>
  withFamily(async ({ see, edge }) => {
    await see('bobs', {}, { agentId: 'bob' });
    await see('P');
    await see('C', { parentSessionKey: 'bobs', ...sub('c') }, { agentId: 'alice' });
    await see('D', { parentSessionKey: 'nobody', ...sub('d') });
    expect([edge('C'), edge('D')]).toEqual([null, null]);
  }));

test('a parent that the reporter may not read is none by any rule', () =>
  withFamily(async ({ see, edge }) => {
    await see('agent:x:main');
    await see('P');
    const closed = ['P', 'agent:x:main'];
    await see('C', { parentSessionKey: 'P' }, { closed });
    await see('agent:x:main:subagent:1', {}, { closed });
    await see('D', sub('d'), { closed: [...closed, 'C', 'agent:x:main:subagent:1'] });
    expect([edge('C'), edge('agent:x:main:subagent:1'), edge('D')]).toEqual([null, null, null]);
  }));

test('a guess gives way to what is said outright, and nothing else is ever moved', () =>
  withFamily(async ({ see, edge }) => {
    await see('P');
    await see('Q');
    await see('A', sub('a'));
    await see('A.1', { parentSessionKey: 'A' });
    expect(edge('A')).toEqual(['Q', 'recency', 1]);
    await see('P', { parentSessionKey: 'Q' });
    await see('A', { parentSessionKey: 'P' });
    expect([edge('A'), edge('A.1')]).toEqual([
      ['P', 'explicit', 2],
      ['A', 'explicit', 3],
    ]);
    await see('A', { parentSessionKey: 'Q' });
    expect(edge('A')?.[0]).toBe('P');
  }));

test('a spawn that we made is never re-parented, and neither is a session of ours that nobody asked for', () =>
  withFamily(async ({ store, clock, see, edge }) => {
    for (const key of ['asked', 'other', 'other:a']) await see(key);
    await see('inner', { spawnedBy: 'asked' });
    const others: LineageHints[] = [
      { parentSessionKey: 'other' },
      { spawnedBy: 'other' },
      { rootSessionKey: 'other', parentAgentId: 'a' },
      sub('b'),
    ];
    for (const hints of others) await see('inner', hints);
    expect(edge('inner')).toEqual(['asked', 'spawned', 1]);
    const names = { agentId: 'default', harness: 'claude-code', project: '/repo', title: null };
    await store.write((tx) => {
      const ours = insertSession(tx, { ...names, sessionKey: 'ses_ours', kind: 'managed' });
      clock.advance(1000);
      const options = { at: tx.now, parentIdleHours: () => null, mayBeParent: () => true };
      for (const hints of others) linkSession(tx, ours, hints, options);
    });
    expect(edge('ses_ours')).toBe(null);
  }));

test('a session that is linked late takes all that is below it along', () =>
  withFamily(async ({ store, see, edge }) => {
    for (const key of ['top', 'middle', 'low']) await see(key);
    await see('low', { parentSessionKey: 'middle' });
    await see('middle', { parentSessionKey: 'top' });
    expect(edge('low')).toEqual(['middle', 'explicit', 2]);
    const roots = store.db.all('SELECT DISTINCT root_session_id AS root FROM lineage');
    expect(roots).toEqual([{ root: 1 }]);
  }));

test('nobody is its own ancestor', () =>
  withFamily(async ({ see, edge }) => {
    await see('A');
    await see('B', { parentSessionKey: 'A' });
    await see('A', { parentSessionKey: 'B' });
    await see('A', { parentSessionKey: 'A' });
    expect(edge('A')).toBe(null);
  }));

test('a sub-agent that shares the session id of its root has a session and a parent [signet 25, 26]', () =>
  withFamily(async ({ store, see, edge }) => {
    await see('root');
    const about = { agentId: 'default', harness: 'claude-code', sessionKey: 'root' };
    const reported = (harnessAgentId: string | null, isAboutSubagent: boolean) =>
      reportedSession(store.db, { ...about, harnessAgentId, isAboutSubagent });
    expect(reported(null, false)).toEqual({ sessionKey: 'root', rootSessionKey: null });
    const first = { sessionKey: 'root:a1', rootSessionKey: 'root' };
    expect([reported('a1', true), reported('a1', false)]).toEqual([first, first]);
    await see('root:a1', { rootSessionKey: 'root', ...sub('a1') });
    expect(edge('root:a1')).toEqual(['root', 'subagent_start', 1]);
    const nested = { rootSessionKey: 'root', parentAgentId: 'a1', ...sub('a2') };
    await see('root:a2', nested);
    expect(edge('root:a2')).toEqual(['root:a1', 'parent_agent', 2]);
    // One that brings a key of its own keeps it.
    await see('own', sub('a3'));
    const own = reportedSession(store.db, {
      ...{ ...about, sessionKey: 'own' },
      ...{ harnessAgentId: 'a3', isAboutSubagent: false },
    });
    expect(own).toEqual({ sessionKey: 'own', rootSessionKey: null });
  }));
