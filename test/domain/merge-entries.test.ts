/** What the conversations of test/operations/hooks do not reach: how long it takes. */
import { expect, test } from '@jest/globals';
import type { TranscriptEntry } from '../../contract/transcript.ts';
import { mergeEntries, type KnownTurn } from '../../domain/merge-entries.ts';

const count = 40_000;
const entriesOf = (role: 'tool' | 'mark', text: string): TranscriptEntry[] =>
  Array.from({ length: count }, () => ({
    ...{ role, text, raw: '{"type":"progress"}\n', at: null, id: null, tools: [] },
  }));
const turnsOf = (role: 'tool' | 'mark', text: string): KnownTurn[] =>
  Array.from({ length: count }, (_, at) => ({
    ...{ seq: at + 2, role, text, raw: '{"type":"progress"}', isReported: true },
  }));
const first: KnownTurn = { seq: 1, role: 'user', text: 'go', raw: '', isReported: true };

test.each([
  ['lines about the session', { turns: [first, ...turnsOf('mark', '')], away: [] }, 'mark'],
  ['turns that were left', { turns: [first], away: turnsOf('tool', 'ok') }, 'tool'],
] as const)('40,000 equal %s are known again in a moment', (_, { turns, away }, role) => {
  const from = performance.now();
  const entries = entriesOf(role, role === 'mark' ? '' : 'ok');
  const merged = mergeEntries(
    { extent: 'all', wasPart: false, turns: [...turns], away: [...away] },
    entries,
  );
  expect(merged.turns.filter((turn) => turn !== null)).toHaveLength(count);
  expect(performance.now() - from).toBeLessThan(1000);
});
