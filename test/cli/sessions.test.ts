import { stripVTControlCharacters } from 'node:util';
import { expect, test } from '@jest/globals';
import type { SessionState } from '../../contract/records.ts';
import { answerJson, answerProblem, withFakeServer } from '../client/fake-server.ts';
import { cli } from './cli-harness.ts';

const time = '2026-01-01T00:00:00.000Z';
const state = (fields: Partial<SessionState>): SessionState => ({
  key: 'main',
  agentId: 'default',
  runtimePath: 'unknown',
  claimedAt: time,
  expiresAt: null,
  bypassed: false,
  kind: 'external',
  harness: 'codex',
  project: '/work/here',
  title: null,
  endedAt: null,
  parentSessionId: null,
  rootSessionId: 'main',
  rule: null,
  depth: 0,
  openChildren: 0,
  waitingCallbacks: 0,
  lastActivityAt: time,
  ...fields,
});

test('sessions is a table of who holds them and what is open for them', async () => {
  const sessions = [
    state({ key: 'plugged', runtimePath: 'plugin', openChildren: 2, waitingCallbacks: 11 }),
    state({
      key: 'ses_1',
      kind: 'managed',
      harness: null,
      parentSessionId: 'plugged',
      title: 'Look at\n\u001b[31mall of it',
    }),
    state({ key: 'off', bypassed: true, runtimePath: 'legacy' }),
    state({ key: 'over', endedAt: time, runtimePath: 'legacy' }),
    state({ key: '\u001b[2Jtwo\nlines', runtimePath: 'legacy' }),
    state({ key: 'main', agentId: 'alice' }),
  ];
  await withFakeServer(
    (_, response) => answerJson(response, { sessions, count: 6, nextCursor: 'c2' }),
    async ({ url, seen }) => {
      const filters = ['--agent', 'alice', '-p', '.', '--harness', 'codex', '--since', '2h'];
      const run = await cli(['sessions', ...filters, '--active', '-n', '6', '--cursor', 'c1'], {
        url,
      });
      expect(Object.fromEntries(new URL(seen[0]!.url, url).searchParams)).toEqual({
        agentId: 'alice',
        project: '/work/here',
        harness: 'codex',
        since: '2025-12-31T23:00:00.000Z',
        active: 'true',
        limit: '6',
        cursor: 'c1',
      });
      expect(run).toMatchObject({
        exitCode: 0,
        err: 'There are more: offshoot sessions --agent alice -p . --harness codex --since 2025-12-31T23:00:00.000Z --active -n 6 --cursor c2\n',
      });
      expect(`\n${run.out}`).toBe(`
SESSION    AGENT    HARNESS  STATE     TITLE              PARENT   OPEN  WAITING  ACTIVE
plugged    default  codex    plugin                                   2       11  1 h ago
ses_1      default           managed   Look at all of it  plugged                 1 h ago
off        default  codex    bypassed                                             1 h ago
over       default  codex    ended                                                1 h ago
two lines  default  codex    legacy                                               1 h ago
main       alice    codex    free                                                 1 h ago
`);
      const json = await cli(['sessions', '--json'], { url });
      expect(JSON.parse(json.out)).toEqual({ sessions, count: 6, nextCursor: 'c2' });
    },
  );
});

test('on a terminal the title is shortened, then the parent, and every line fits', async () => {
  const title = 'Look at all that there is to be looked at in this repository, and say what it is';
  const long = 'a-session-of-a-parent';
  const sessions = [
    state({ key: 'one', title, parentSessionId: 'up' }),
    state({ key: long, title: '日本語の題名を見てください', parentSessionId: long }),
  ];
  const shown = async (of: SessionState[]) => {
    let out = '';
    await withFakeServer(
      (_, response) => answerJson(response, { sessions: of, count: of.length, nextCursor: null }),
      async ({ url }) => void ({ out } = await cli(['sessions'], { url, isTerminal: true })),
    );
    return stripVTControlCharacters(out);
  };
  expect(`\n${await shown(sessions.slice(0, 1))}`).toBe(`
SESSION  AGENT    HARNESS  STATE  TITLE                               PARENT  OPEN  WAITING  ACTIVE
one      default  codex    free   Look at all that there is to be l…  up                     1 h ago
`);
  expect(`\n${await shown(sessions)}`).toBe(`
SESSION                AGENT    HARNESS  STATE  TITLE         PARENT          OPEN  WAITING  ACTIVE
one                    default  codex    free   Look at all…  up                             1 h ago
a-session-of-a-parent  default  codex    free   日本語の題…   a-session-of-…                 1 h ago
`);
});

test('no sessions are told aside; a refusal keeps its code', async () => {
  await withFakeServer(
    ({ url: asked }, response) =>
      asked.includes('bob')
        ? answerProblem(response, 403, 'forbidden')
        : answerJson(response, { sessions: [], count: 0, nextCursor: null }),
    async ({ url }) => {
      const none = await cli(['sessions'], { url });
      expect(none).toMatchObject({ exitCode: 0, out: '', err: 'There are none.\n' });
      const refused = await cli(['sessions', '--agent', 'bob'], { url });
      expect(refused).toMatchObject({ exitCode: 5, out: '' });
      expect(await cli(['sessions', '--limit', 'all'], { url })).toMatchObject({ exitCode: 2 });
    },
  );
});

const block = (text: string, checkpoint: object | null) => ({
  text,
  hash: 'abc123',
  sources: {
    parentSessionId: 'main',
    checkpoint,
    turns: [
      { fromSeq: 8, toSeq: 12 },
      { fromSeq: 15, toSeq: 15 },
    ],
    entities: ['Alpha', 'Beta'],
    constraints: 2,
  },
});

test('context shows what a session was given and what a child would be given, with the sources of both', async () => {
  const given = block('## Inherited\n\u001b[31mone\n', { seq: 7, trigger: 'prompts', at: time });
  const inherited = { ...given, givenAt: time };
  const offers = block('## Inherited\ntwo\n', null);
  offers.sources = { ...offers.sources, entities: [], constraints: 0 };
  const answer = { sessionKey: 's1', agentId: 'alice', inherited, offers };
  await withFakeServer(
    (_, response) => answerJson(response, answer),
    async ({ url, seen }) => {
      const run = await cli(['context', 's1', '--agent', 'alice'], { url });
      expect(seen[0]!.url).toBe('/api/sessions/s1/context?agentId=alice');
      expect(`\n${run.out}`).toBe(`
s1 was given
  given        2026-01-01T00:00:00.000Z
  hash         abc123
  from         main
  checkpoint   to #7, prompts, 2026-01-01T00:00:00.000Z
  turns        #8 to #12, #15
  entities     Alpha, Beta
  constraints  2

## Inherited
one

A child of s1 would be given
  hash   abc123
  from   main
  turns  #8 to #12, #15

## Inherited
two
`);
      expect(run).toMatchObject({ exitCode: 0, err: '' });
      const json = await cli(['context', 's1', '--json'], { url });
      expect(JSON.parse(json.out)).toEqual(answer);
    },
  );
});

test('a session that was given nothing says so; one that is not there exits with 3', async () => {
  await withFakeServer(
    ({ url: asked }, response) =>
      asked.includes('s1')
        ? answerJson(response, { sessionKey: 's1', agentId: 'a', inherited: null, offers: null })
        : answerProblem(response, 404, 'not_found'),
    async ({ url }) => {
      const err = 's1 was given nothing.\nA child of s1 would be given nothing.\n';
      expect(await cli(['context', 's1'], { url })).toMatchObject({ exitCode: 0, out: '', err });
      expect(await cli(['context', 's2'], { url })).toMatchObject({ exitCode: 3, out: '' });
    },
  );
});
