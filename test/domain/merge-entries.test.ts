/** What the conversations of test/operations/hooks do not reach: how long it takes, and that nothing is lost. */
import { expect, test } from '@jest/globals';
import type { TranscriptEntry } from '../../contract/transcript.ts';
import { mergeEntries, type KnownTurn } from '../../domain/merge-entries.ts';
import { growth, notNearly16 } from '../support/growth.ts';

type Role = 'user' | 'tool' | 'mark';
type Text = (at: number) => string;
const entriesOf = (count: number, role: Role, text: Text): TranscriptEntry[] =>
  Array.from({ length: count }, (_, at) => ({
    ...{ role, text: text(at), raw: '{"type":"progress"}\n', at: null, id: null, tools: [] },
  }));
const turnsOf = (count: number, role: Role, text: Text, isReported = true): KnownTurn[] =>
  Array.from({ length: count }, (_, at) => ({
    ...{ seq: at + 2, role, text: text(at), isReported },
    raw: isReported ? '{"type":"progress"}' : null,
  }));
const first: KnownTurn = { seq: 1, role: 'user', text: 'go', raw: '', isReported: true };
const few: Text = (at) => ['yes', 'done', 'go on'][at % 3]!;

test.each<[string, Role, Text, Text, { isReported?: boolean; isAway?: boolean; size?: number }]>([
  ['equal lines about the session', 'mark', () => '', () => '', {}],
  ['turns that were left, and come back', 'tool', () => 'ok', () => 'ok', { isAway: true }],
  ['messages of few words', 'user', few, (at) => few(at + 1), {}],
  ['messages that share nothing', 'user', (at) => `one ${at}`, (at) => `other ${at}`, {}],
  [
    'messages of which each other one was changed',
    'user',
    (at) => `${at}`,
    (at) => `${at % 2 ? at : -at}`,
    {},
  ],
  ['messages in the order from last to first', 'user', (at) => `${at}`, (at) => `${-at}`, {}],
  [
    'messages that hooks have told, and none of which was written',
    ...([
      'user',
      (at: number) => `a prompt, number ${at}`,
      (at: number) => `another, number ${at}`,
    ] as const),
    { isReported: false, size: 1200 },
  ],
])('four times as many %s take not nearly sixteen times as long', (_, role, known, now, how) => {
  const merging = (count: number) => {
    const turns = turnsOf(count, role, known, how.isReported);
    const entries = entriesOf(count, role, now);
    const [there, away] = how.isAway ? [[first], turns] : [[first, ...turns], []];
    return () =>
      mergeEntries({ extent: 'all', wasPart: false, turns: [...there], away: [...away] }, entries);
  };
  expect(growth(merging, how.size ?? 3000)).toBeLessThan(notNearly16);
  const { turns, order, left } = merging(1000)();
  const fresh = turns.filter((turn) => turn === null).length;
  // Whatever was known is read or left, and what came is read.
  const isInOrder = role !== 'mark';
  expect(order.length + left.length).toBe(isInOrder ? 1 + (how.isAway ? 1000 : 1000 + fresh) : 1);
});
