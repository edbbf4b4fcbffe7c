/** The index takes turns together, and a search takes what it has not taken yet. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as soon } from 'node:timers/promises';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { followTurns } from '../../search/follow-turns.ts';
import { serve } from '../../search/serve.ts';
import { createSearcher } from '../../search/searcher.ts';
import type { FromThread, ToThread } from '../../search/messages.ts';
import { createChanges } from '../../store/changes.ts';
import { insertSession } from '../../store/sessions.ts';
import { appendTurn } from '../../store/turns.ts';
import { withStore } from '../store/store-fixture.ts';

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] }));
afterEach(() => void jest.useRealTimers());

function follow() {
  const changes = createChanges();
  const told = jest.fn();
  const end = followTurns(changes, told);
  const say = (turns: number, chars: number) =>
    changes.publish([{ kind: 'turn', sessionId: 1, turns, chars }]);
  return { changes, say, end, told };
}

test('fifty turns, much text or half a minute: then the index is told, once', () => {
  const { changes, say, end, told } = follow();
  for (let n = 0; n < 49; n += 1) say(1, 900);
  expect(told).toHaveBeenCalledTimes(0);
  say(1, 900);
  expect(told).toHaveBeenCalledTimes(1);
  say(30, 900);
  say(20, 900);
  expect(told).toHaveBeenCalledTimes(2);
  say(1, 60_000);
  say(1, 80_000);
  expect(told).toHaveBeenCalledTimes(3);
  say(1, 900);
  jest.advanceTimersByTime(29_000);
  say(1, 900);
  expect(told).toHaveBeenCalledTimes(3);
  jest.advanceTimersByTime(1_000);
  expect(told).toHaveBeenCalledTimes(4);
  jest.advanceTimersByTime(60_000);
  expect(told).toHaveBeenCalledTimes(4);
  // A session that was deleted is to leave it, too.
  changes.publish([{ kind: 'moved', sessionId: 1 }]);
  jest.advanceTimersByTime(30_000);
  expect(told).toHaveBeenCalledTimes(5);
  say(1, 900);
  end();
  jest.advanceTimersByTime(60_000);
  say(50, 900);
  expect(told).toHaveBeenCalledTimes(5);
});

const scope = { agentId: 'a', project: null, sessionIds: null, rootId: null, withoutId: null };

test('what the index was not told of is found by the very next search, and costs it little where nobody searches', () =>
  withStore(async ({ store, file, folder }) => {
    const index = join(folder, 'search.db');
    const heard: FromThread[] = [];
    const hear = serve(
      () => createSearcher({ database: file, index }),
      (message) => heard.push(message),
    );
    const end = followTurns(store.changes, () => hear({ kind: 'index' }));
    const rest = async (isDone: () => boolean) => {
      while (!isDone()) await soon();
    };
    const names = { agentId: 'a', sessionKey: 's', kind: 'external', harness: null } as const;
    const { id: sessionId } = await store.write((tx) =>
      insertSession(tx, { ...names, project: null, title: null }),
    );
    const say = (text: string) =>
      store.write((tx) => appendTurn(tx, { sessionId, role: 'user', text }));
    const searched = async (query: string) => {
      heard.length = 0;
      const message: ToThread = {
        kind: 'search',
        id: 1,
        request: { query, scope, limit: 5, bySession: false },
      };
      hear(message);
      await rest(() => heard.some(({ kind }) => kind === 'hits'));
      return heard.flatMap((one) => (one.kind === 'hits' ? one.hits : [])).length;
    };
    try {
      await say('the first needle');
      expect(await searched('needle')).toBe(1);
      // What is left to merge of a new index.
      for (let n = 0; n < 50; n += 1) await soon();
      const before = statSync(`${index}-wal`).size;
      for (let n = 0; n < 30; n += 1) await say(`needle ${n}`);
      expect(statSync(`${index}-wal`).size).toBe(before);
      await say('and the unheard one');
      expect(await searched('unheard')).toBe(1);
      await say('said last');
    } finally {
      end();
      hear({ kind: 'end' });
    }
    // The next server goes on where the index was.
    const next = createSearcher({ database: file, index });
    const request = { query: 'said last', scope, limit: 5, bySession: false };
    expect(next.search(request).map(({ excerpt }) => excerpt)).toEqual(['said last']);
    next.close();
  }));
