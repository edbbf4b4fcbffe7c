/** Whoever has a token at any of the places reads nothing of any other, by whatever reads: all pairs. */
import { expect, test } from '@jest/globals';
import { operations } from '../../contract/operations.ts';
import { tools } from '../../mcp/tools.ts';
import { requestOf } from './api-fixture.ts';
import {
  agents,
  foundIn,
  harnesses,
  inOrder,
  inputs,
  isRead,
  parts,
  readersOf,
  roundabout,
  setPolicies,
  settle,
  streamsOf,
  toolReads,
  type Ask,
  type Place,
  type ReadPolicy,
  type Reader,
} from './foreign-fixture.ts';
import { withRealApi, type Api } from './real-api.ts';
import { withMcpOver } from './real-mcp.ts';

const reads = [
  ...inOrder.map((name) => [name, inputs[name] as Ask] as const),
  ...roundabout,
].filter(([name]) => isRead(name));

test('every tool is tried, and every field by which a search may ask for another session', () => {
  expect(Object.keys(toolReads).toSorted()).toEqual(tools.map(({ name }) => name).toSorted());
  const fields = Object.keys(operations.searchSessions.input.out.shape);
  const used = reads.flatMap(([name, input]) =>
    name === 'searchSessions' ? Object.keys(input(anyPlace)) : [],
  );
  // `agentId` goes with each of them.
  expect(new Set([...used, 'agentId'])).toEqual(new Set(fields));
});

const anyPlace: Place = {
  ...{ agentId: 'a', harness: 'x', project: '/p', key: 'k', word: 'w', id: 'sub_1' },
  ...{ childKey: 'c', callbackId: 'cb_1', nextSeq: 1 },
};

/** What one may find is looked at in the whole of what it was told. */
type Look = (what: string, told: Promise<string>, asked: unknown) => Promise<void>;

/** Of alice and of bob: each lets others read what the other one does not. */
const policies: [ReadPolicy, ReadPolicy][] = [
  ['isolated', 'shared'],
  ['shared', 'group'],
  ['group', 'isolated'],
];

test.each(policies)(
  'no read finds what is foreign, whoever asks for whose: %s and %s',
  (...readPolicies) =>
    withRealApi(async (api) => {
      const places = await settle(api);
      expect(places).toHaveLength(agents.length * harnesses.length * parts.length);
      await setPolicies(api, readPolicies);
      const leaks: string[] = [];
      let pairs = 0;
      const readers = places.flatMap((own) => readersOf(api, places, own));
      // Whoever holds the same token reads the same, wherever it is.
      for (const reader of new Map(readers.map((one) => [one.token, one])).values()) {
        const all = reader.foreign.map((of) => {
          pairs += 1;
          return readAll(api, reader, of, async (what, told, asked) => {
            const found = foundIn(await told, [...reader.words, ...reader.keys], asked);
            if (found.length > 0) leaks.push(`${reader.name}, ${what} of ${of.key}: ${found}`);
          });
        });
        await Promise.all(all);
        await useTools(api, reader, leaks);
      }
      expect(leaks).toEqual([]);
      expect(pairs).toBe(2 * 6 + 6 * 10 + 12 * 11);
    }),
  // Some thousand requests, each in a fraction of a second also where little else is left of the machine.
  300_000,
);

async function readAll(
  api: Api,
  { token, name: who, own, foreign }: Reader,
  of: Place,
  look: Look,
): Promise<void> {
  const headers = { 'x-agent-session-id': of.key };
  const asked = reads.flatMap(([name, input]) =>
    (of.agentId === own.agentId ? [{}] : [{}, { agentId: of.agentId }]).map((more) => {
      const { method, path, body } = requestOf(name, { ...input(of), ...more });
      return look(name, textOf(api.direct(token, method, path, { body, headers })), [
        path,
        body,
        headers,
      ]);
    }),
  );
  const streams = streamsOf(of).map((path) =>
    look(path, textOf(api.direct(token, 'GET', path)), path),
  );
  // What its own program inherits of a parent that it names.
  const start = {
    ...{ harness: own.harness, project: own.project, parentSessionKey: of.key },
    // It is read, too, and has no name of theirs in it.
    sessionKey: `${who} below ${foreign.indexOf(of)}`,
  };
  const begun = api.direct(token, 'POST', '/api/hooks/session-start', { body: start });
  await Promise.all([...asked, ...streams, look('session-start', textOf(begun), start)]);
}

const textOf = async (told: Promise<{ text: string }>) => (await told).text;

async function useTools(api: Api, reader: Reader, leaks: string[]): Promise<void> {
  const { token, own } = reader;
  await withMcpOver(api, { token, parentSessionId: own.key }, async (call) => {
    const pairs = reader.foreign.map(async (of) => {
      const calls = Object.entries(toolReads).flatMap(([name, inputsOf]) =>
        (inputsOf?.(of) ?? []).map((input) => call(name, input)),
      );
      const found = foundIn(
        (await Promise.all(calls)).join(),
        [...reader.words, ...reader.keys],
        of,
      );
      if (found.length > 0) leaks.push(`${reader.name}, a tool of ${of.key}: ${found}`);
    });
    await Promise.all(pairs);
  });
}
