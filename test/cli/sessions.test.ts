import { stripVTControlCharacters } from 'node:util';
import { expect, test } from '@jest/globals';
import type { SessionState } from '../../contract/records.ts';
import { answerJson, answerProblem, withFakeServer } from '../client/fake-server.ts';
import { widthOf } from '../../cli/render/width.ts';
import { withFolder } from '../support/folder.ts';
import { cli, writeServerFile } from './cli-harness.ts';
import { sessionOf, time } from './session-of.ts';

const state = ({ key = 'main', ...fields }: Partial<SessionState>) => sessionOf(key, fields);

test('sessions is a table of what each is about, what it is now, and what is open for it', async () => {
  const sessions = [
    state({ key: 'plugged', runtimePath: 'plugin', openChildren: 2, waitingCallbacks: 11 }),
    state({
      key: 'ses_1',
      kind: 'managed',
      harness: null,
      state: 'idle',
      parentSessionId: 'plugged',
      title: 'Look at\n\u001b[31mall of it',
      firstWords: 'Begin',
    }),
    state({ key: 'off', state: 'bypassed', runtimePath: 'legacy', firstWords: 'Say hello' }),
    state({ key: 'over', state: 'ended' }),
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
SESSION    AGENT    STATE     TITLE              OPEN  WAITING  ACTIVE   HARNESS  PARENT   HOOKS
plugged    default  active                          2       11  1 h ago  codex             plugin
ses_1      default  idle      Look at all of it                 1 h ago           plugged
off        default  bypassed  Say hello                         1 h ago  codex             legacy
over       default  ended                                       1 h ago  codex
two lines  default  active                                      1 h ago  codex             legacy
main       alice    active                                      1 h ago  codex
`);
      const json = await cli(['sessions', '--json'], { url });
      expect(JSON.parse(json.out)).toEqual({ sessions, count: 6, nextCursor: 'c2' });
    },
  );
});

const long = [
  state({
    key: '0b8f9f6e-1111-4222-8333-123456789abc',
    title: 'Look at all that there is to be looked at in this repository, and say what it is',
    openChildren: 12,
    waitingCallbacks: 3,
  }),
  state({
    key: '0b8f9f6e-1111-4222-8333-123456789abc:a5554576f7df65818',
    parentSessionId: '0b8f9f6e-1111-4222-8333-123456789abc',
    title: '日本語の題名を見てください',
    state: 'bypassed',
    lastActivityAt: '2026-01-01T00:01:00.000Z',
  }),
];

test.each([
  [
    80,
    `
SESSION           AGENT    STATE     TITLE             OPEN  WAITING  ACTIVE
0b8f9f6e…6789abc  default  active    Look at all tha…    12        3  1 h ago
0b8f9f6e…df65818  default  bypassed  日本語の題名を…                  59 min ago
`,
  ],
  [
    120,
    `
SESSION                               AGENT    STATE     TITLE                                 OPEN  WAITING  ACTIVE
0b8f9f6e-1111-4222-8333-123456789abc  default  active    Look at all that there is to be loo…    12        3  1 h ago
0b8f9f6e-1111-4222…a5554576f7df65818  default  bypassed  日本語の題名を見てください                           59 min ago
`,
  ],
])(
  'on a terminal of %d columns every line fits, and the whole keys are a command away',
  async (columns, table) => {
    await withFakeServer(
      (_, response) => answerJson(response, { sessions: long, count: 2, nextCursor: null }),
      async ({ url }) => {
        const args = ['sessions', '--agent', 'it is me'];
        const shown = await cli(args, { url, isTerminal: true, columns });
        expect(`\n${stripVTControlCharacters(shown.out)}`).toBe(table);
        for (const line of shown.out.split('\n'))
          expect(widthOf(line)).toBeLessThanOrEqual(columns);
        expect(shown.err).toBe("Whole keys: offshoot sessions --agent 'it is me' | cat\n");
        const piped = await cli(args, { url, isTerminal: true, isPiped: true, columns });
        for (const { key, title } of long) {
          expect(piped.out).toContain(`${key}  `);
          expect(piped.out).toContain(title);
        }
        expect(piped.err).toBe('');
      },
    );
  },
);

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

test('where there are none, what to look at next is a command that can be typed', async () => {
  let agents = [{ agentId: "Jo's", harness: null, sessions: 1, lastActivityAt: time }];
  await withFakeServer(
    ({ url: asked }, response) =>
      asked.includes('presence')
        ? answerJson(response, { agents })
        : answerJson(response, { sessions: [], count: 0, nextCursor: null }),
    async ({ url }) =>
      withFolder(async (home) => {
        writeServerFile(home, { url, pid: process.pid });
        const told = async (args: string[]) => (await cli(args, { home })).err;
        // How many at most is no filter.
        for (const args of [['sessions'], ['sessions', '-n', '5']]) {
          expect(await told(args)).toBe(
            "There are none of agent default. Of another one: offshoot sessions --agent 'Jo'\\''s'\n",
          );
        }
        expect(await told(['sessions', '--agent', 'b', '--active'])).toBe(
          'There are none. Without filters: offshoot sessions --agent b\n',
        );
        agents = [];
        expect(await told(['sessions'])).toBe(
          'There are none. How agent programs report theirs: offshoot help hook\n',
        );
      }),
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
