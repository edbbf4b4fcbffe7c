/** A tree of any depth is told level by level, as far as it may be, and what is below that is said to be there. */
import { expect, test } from '@jest/globals';
import { limits } from '../../contract/limits.ts';
import type { Tree, TreeNode } from '../../contract/records.ts';
import { insertLineage, isAtOrAbove, lineageOf } from '../../store/lineage.ts';
import { findSession, insertSession, type SessionRow } from '../../store/sessions.ts';
import { cli } from '../cli/cli-harness.ts';
import { withRealApi, type Api } from './real-api.ts';

const names = {
  agentId: 'default',
  kind: 'external',
  harness: 'x',
  project: null,
  title: null,
} as const;
const deep = 5000;

/** `s0` above `s1` above …; as if the lowest were registered first, where they are told in reverse. */
const chain = (api: Api, length: number, isReversed = false) =>
  api.store.write((tx) => {
    const order = Array.from({ length }, (_, at) => (isReversed ? length - 1 - at : at));
    const rows = new Map<number, SessionRow>();
    for (const at of order) rows.set(at, insertSession(tx, { ...names, sessionKey: `s${at}` }));
    for (let at = 1; at < length; at += 1) {
      insertLineage(tx, rows.get(at)!, rows.get(at - 1)!, 'explicit');
    }
  });

const levelsOf = (node: TreeNode): TreeNode[] => {
  const levels = [node];
  for (let at = node; at.children[0] !== undefined;) levels.push((at = at.children[0]));
  return levels;
};

test.each([
  ['as they came', false],
  ['the lowest first', true],
])('of a chain of thousands a hundred levels are told, and where it goes on: %s', (_, isReversed) =>
  withRealApi(async (api) => {
    await chain(api, deep, isReversed);
    const token = api.token({ role: 'admin' });
    const get = async (key: string) => {
      const { status, text } = await api.http(token, 'GET', `/api/sessions/${key}/tree`);
      expect(status).toBe(200);
      return JSON.parse(text) as Tree;
    };
    const tree = await get('s0');
    expect(tree).toMatchObject({ total: { sessions: deep, invocations: 0 }, truncated: true });
    const levels = levelsOf(tree);
    expect(levels.map(({ sessionKey }) => sessionKey)).toEqual(
      Array.from({ length: limits.treeLevelsMax }, (__, at) => `s${at}`),
    );
    expect(levels.filter(({ hasMore }) => hasMore)).toEqual([levels.at(-1)]);

    const below = await get(levels.at(-1)!.sessionKey);
    expect(below).toMatchObject({ depth: 99, total: { sessions: deep - 99 }, truncated: true });
    const low = await get(`s${deep - limits.treeLevelsMax}`);
    expect(low).toMatchObject({ total: { sessions: 100 }, truncated: false });
    expect(levelsOf(low).some(({ hasMore }) => hasMore)).toBe(false);

    const env = { OFFSHOOT_TOKEN: token };
    const shown = await cli(['tree', 's0'], { url: api.url, env });
    expect(shown.out.trimEnd().split('\n')).toHaveLength(limits.treeLevelsMax);
    expect(shown.err).toContain('100 levels. What is below one further down: offshoot tree s99');
    const whole = await cli(['tree', 's0', '--json'], { url: api.url, env });
    expect(JSON.parse(whole.out)).toEqual(tree);
  }),
);

test('a session of thousands of levels is listed, searched, moved, ended and deleted like any other', () =>
  withRealApi(async (api) => {
    await chain(api, deep);
    const last = `s${deep - 1}`;
    await api.ask('hookUserPromptSubmit', {
      harness: 'x',
      sessionKey: last,
      userMessage: 'plover',
    });
    const hits = await api.ask('searchSessions', { query: 'plover', rootSessionKey: 's0' });
    expect(hits.count).toBe(1);
    await api.ask('hookSessionStart', {
      harness: 'x',
      sessionKey: 's0',
      parentSessionKey: 'above',
    });
    await api.ask('registerSession', { key: 'above' });
    await api.ask('hookSessionStart', {
      harness: 'x',
      sessionKey: 's0',
      parentSessionKey: 'above',
    });
    expect(await api.ask('getSession', { key: last })).toMatchObject({
      depth: deep,
      rootSessionId: 'above',
    });
    await api.ask('hookSessionEnd', { harness: 'x', sessionKey: 's0' });
    expect(await api.ask('deleteSession', { key: 'above' })).toMatchObject({ sessions: deep + 1 });
  }));

test('of a wide tree the levels above are whole, and who has more says so', () =>
  withRealApi(async (api) => {
    await api.store.write((tx) => {
      const root = insertSession(tx, { ...names, sessionKey: 'root' });
      for (let at = 0; at < limits.treeNodesMax / 2; at += 1) {
        const child = insertSession(tx, { ...names, sessionKey: `c${at}` });
        const grandchild = insertSession(tx, { ...names, sessionKey: `g${at}` });
        insertLineage(tx, child, root, 'explicit');
        insertLineage(tx, grandchild, child, 'explicit');
      }
    });
    const tree = await api.ask('getTree', { key: 'root' });
    expect(tree).toMatchObject({ total: { sessions: limits.treeNodesMax + 1 }, truncated: true });
    expect(tree.hasMore).toBeUndefined();
    expect(tree.children).toHaveLength(limits.treeNodesMax / 2);
    const more = tree.children.filter(({ hasMore }) => hasMore);
    expect(more.map(({ sessionKey }) => sessionKey)).toEqual([`c${limits.treeNodesMax / 2 - 1}`]);
  }));

test('no hook makes a session its own ancestor, whichever field names it', () =>
  withRealApi(async (api) => {
    const keys = ['agent:x:main', 'agent:x:subagent:a', 'b', 'c', 'agent:x:subagent:a:subagent:d'];
    const { db } = api.store;
    for (const harness of ['openclaw', 'claude-code', 'copilot-cli']) {
      for (const sessionKey of keys) {
        for (const other of keys) {
          const hook = { harness, sessionKey, agentId: 'x' };
          await api.ask('hookSessionStart', {
            ...hook,
            parentSessionKey: other,
            harnessAgentId: other,
          });
          const sub = { ...hook, harnessAgentId: other, parentHarnessAgentId: sessionKey };
          await api.ask('hookSubagentStart', { ...sub, childSessionKey: other });
          await api.ask('hookSubagentStart', sub);
          await api.ask('hookSubagentStart', { ...sub, parentHarnessAgentId: other });
        }
      }
    }
    const edges = db.all<{ session_id: number; parent_session_id: number }>(
      'SELECT * FROM lineage',
    );
    expect(edges.length).toBeGreaterThan(5);
    for (const edge of edges) {
      expect(isAtOrAbove(db, edge.session_id, edge.parent_session_id)).toBe(false);
      const above = lineageOf(db, edge.parent_session_id);
      expect(lineageOf(db, edge.session_id)!.depth).toBe((above?.depth ?? 0) + 1);
    }
    for (const key of keys) {
      const top = findSession(db, 'x', key)!;
      expect((await api.ask('getTree', { key, agentId: 'x' })).sessionKey).toBe(top.session_key);
    }
  }));
