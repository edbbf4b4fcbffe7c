/** Whoever has a token at any of the places reads nothing of any other, by whatever reads: all pairs. */
import { expect, test } from '@jest/globals';
import { readPolicies } from '../../contract/words.ts';
import { requestOf } from './api-fixture.ts';
import {
  foundIn,
  inOrder,
  inputs,
  isRead,
  readersOf,
  roundabout,
  setPolicy,
  settle,
  streamsOf,
  type Ask,
  type Place,
  type Reader,
} from './foreign-fixture.ts';
import { withRealApi, type Api } from './real-api.ts';
import { withMcpOver } from './real-mcp.ts';

const reads = [
  ...inOrder.map((name) => [name, inputs[name] as Ask] as const),
  ...roundabout,
].filter(([name]) => isRead(name));

/** What one may find is looked at in the whole of what it was told. */
type Look = (what: string, told: Promise<string>, asked: unknown) => Promise<void>;

test.each(readPolicies)('no read finds what is foreign, whoever asks for whose: %s', (readPolicy) =>
  withRealApi(async (api) => {
    const places = await settle(api);
    await setPolicy(api, readPolicy);
    const leaks: string[] = [];
    let pairs = 0;
    for (const reader of places.flatMap((own) => readersOf(api, places, own))) {
      for (const of of reader.foreign) {
        pairs += 1;
        await readAll(api, reader, of, async (what, told, asked) => {
          const found = foundIn(await told, [...reader.words, ...reader.keys], asked);
          if (found.length > 0) leaks.push(`${reader.name}, ${what} of ${of.key}: ${found}`);
        });
      }
      // The widest policy: what a tool reads, it reads by the same requests.
      if (readPolicy === 'shared') await useTools(api, reader, leaks);
    }
    expect(leaks).toEqual([]);
    expect(pairs).toBe(6 * (3 + 5 + 5));
  }),
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
    for (const of of reader.foreign) {
      const told = [
        await call('get_subagent', { id: of.id }),
        await call('wait_subagents', { ids: [of.id], waitSeconds: 0 }),
        await call('list_subagents', { parentSessionId: of.key, limit: 100 }),
        await call('get_callbacks', { sessionKey: of.key, status: 'all' }),
        await call('session_search', { query: 'plover', sessionKey: of.childKey }),
      ].join();
      const found = foundIn(told, [...reader.words, ...reader.keys], of);
      if (found.length > 0) leaks.push(`${reader.name}, a tool of ${of.key}: ${found}`);
    }
  });
}
