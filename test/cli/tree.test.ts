/** Trees with sessions that programs report beside those that we run, as they are seen. */
import { expect, test } from '@jest/globals';
import { createStyle } from '../../cli/render/style.ts';
import { renderTree } from '../../cli/render/tree.ts';
import { widthOf } from '../../cli/render/width.ts';
import type { TreeNode } from '../../contract/records.ts';
import { answerJson, withFakeServer } from '../client/fake-server.ts';
import { cli } from './cli-harness.ts';
import { reportedNode } from './reported-node.ts';
import { sessionOf } from './session-of.ts';

const style = createStyle(false);

/** One that we run. */
const run = (
  title: string,
  n: number,
  fields: Partial<TreeNode> = {},
  error: string | null = null,
) =>
  reportedNode(`ses_${n}`, {
    kind: 'managed',
    harness: null,
    state: 'idle',
    invocations: [
      {
        id: `sub_${String(n).padStart(20, '0')}`,
        runnerId: 'demo',
        status: error === null ? 'completed' : 'failed',
        executionMode: 'SYNC',
        title,
        durationMs: 200 * n,
        error,
      },
    ],
    ...fields,
  });

const main = '0b8f9f6e-1111-4222-8333-123456789abc';
const mixed = reportedNode(main, {
  firstWords: 'Please look at the importer, and tell me why it fails on dates',
  children: [
    reportedNode(`${main}:a5554576f7df65818`, { title: 'general-purpose', state: 'ended' }),
    // Nobody has said which program it is.
    reportedNode('one', { harness: null, state: 'bypassed', children: [run('Ask', 1)] }),
    run(
      'Import',
      2,
      { children: [reportedNode('inner', { harness: 'codex', state: 'idle' })] },
      'exited with code 3',
    ),
  ],
});

const total = { sessions: 6, invocations: 2 };

test.each([
  [
    80,
    `
Please look at the impo…  active    claude-code         0b8f9f6e-111…23456789abc
├─ general-purpose        ended     claude-code         0b8f9f6e-111…76f7df65818
├─ one                    bypassed
│  └─ ✓ Ask               SYNC  demo             0.2 s  sub_00000000000000000001
└─ ✗ Import               SYNC  demo             0.4 s  sub_00000000000000000002
   │   exited with code 3
   └─ inner               idle      codex
`,
  ],
  [
    200,
    `
Please look at the importer, and tell me why it fails on da…  active    claude-code         0b8f9f6e-1111-4222-8333-123456789abc
├─ general-purpose                                            ended     claude-code         0b8f9f6e-1111-4222-8333-123456789abc:a5554576f7df65818
├─ one                                                        bypassed
│  └─ ✓ Ask                                                   SYNC  demo             0.2 s  sub_00000000000000000001
└─ ✗ Import                                                   SYNC  demo             0.4 s  sub_00000000000000000002  exited with code 3
   └─ inner                                                   idle      codex
`,
  ],
])('sessions that programs report tell their state and line up, in %d columns', (width, tree) => {
  const shown = renderTree(mixed, { style, width });
  expect(`\n${shown}`).toBe(tree);
  for (const line of shown.split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(width);
});

test('a key that is cut on a terminal is whole in a pipe, and the command for that is named', async () => {
  const tree = { ...mixed, total, truncated: false };
  await withFakeServer(
    (_, response) => answerJson(response, tree),
    async ({ url }) => {
      const args = ['tree', `session:${main}`, '--agent', 'a b'];
      const shown = await cli(args, { url, isTerminal: true, columns: 80 });
      expect(shown.err).toBe(`Whole keys: offshoot tree session:${main} --agent 'a b' | cat\n`);
      const piped = await cli(args, { url, isTerminal: true, isPiped: true });
      expect(piped).toMatchObject({ out: renderTree(mixed, { style, width: Infinity }), err: '' });
    },
  );
});

test('where not all is shown, the tree of one further down is a command that works as it is printed', async () => {
  let children = [reportedNode('its own', { hasMore: true })];
  await withFakeServer(
    (_, response) =>
      answerJson(response, { ...mixed, children, total, truncated: true, hasMore: true }),
    async ({ url, seen }) => {
      const command = async (args: string[]) =>
        / one further down: offshoot (.*)\n$/.exec((await cli(args, { url })).err)?.[1];
      expect(await command(['tree', main])).toBe("tree 'its own'");
      expect(await command(['tree', main, '--agent', 'a b'])).toBe("tree 'its own' --agent 'a b'");
      // A key is not taken for an id, nor for an option.
      for (const key of ['sub_one', '-one']) {
        children = [reportedNode(key, { hasMore: true })];
        expect(await command(['tree', main])).toBe(`tree session:${key}`);
        await cli(['tree', `session:${key}`], { url });
        expect(seen.at(-1)?.url).toBe(`/api/sessions/session%3A${key}/tree`);
      }
    },
  );
});

test('where nothing was run yet, the newest session that a program reports is meant', async () => {
  let sessions: object[] = [sessionOf('below', { rootSessionId: main })];
  await withFakeServer(
    ({ url }, response) => {
      if (url.includes('/tree')) return answerJson(response, { ...mixed, total, truncated: false });
      if (url.startsWith('/api/subagents'))
        return answerJson(response, { items: [], nextCursor: null });
      return answerJson(response, { sessions, count: sessions.length, nextCursor: null });
    },
    async ({ url, seen }) => {
      expect((await cli(['tree'], { url })).out).toContain('general-purpose');
      expect(seen.at(-1)?.url).toBe(`/api/sessions/${main}/tree?agentId=default`);
      sessions = [];
      expect(await cli(['tree'], { url })).toMatchObject({
        exitCode: 3,
        err: expect.stringContaining('offshoot run demo "say hello"'),
      });
    },
  );
});
