import { expect, test } from '@jest/globals';
import type { SessionTurn } from '../../contract/transcripts.ts';
import { asRead } from '../../domain/as-read.ts';

const minute = (n: number) => `2026-01-01T00:${String(n).padStart(2, '0')}:00.000Z`;
const turn = (seq: number, fields: Partial<SessionTurn> = {}): SessionTurn => ({
  seq,
  place: seq,
  role: 'assistant',
  at: minute(seq),
  text: '',
  invocationId: null,
  runNo: null,
  late: false,
  tools: null,
  source: 'hook',
  ...fields,
});

async function* pages(turns: SessionTurn[], size = 2): AsyncGenerator<SessionTurn[]> {
  for (let at = 0; at < turns.length; at += size) yield turns.slice(at, at + size);
}
async function order(turns: SessionTurn[], size?: number): Promise<number[]> {
  const found: number[] = [];
  for await (const { seq } of asRead(pages(turns, size))) found.push(seq);
  return found;
}

test('what came as it is read stays so, and is given on before all has come', async () => {
  const turns = [turn(1, { role: 'user' }), turn(2), turn(3, { role: 'user' }), turn(4)];
  expect(await order(turns)).toEqual([1, 2, 3, 4]);
  const first = asRead(
    (async function* () {
      yield turns.slice(0, 3);
      throw new Error('not reached');
    })(),
  );
  expect((await first.next()).value?.seq).toBe(1);
});

test('what was told late is where it was said; what was left stays behind what came before it', async () => {
  const turns = [
    turn(1, { role: 'user' }),
    turn(2, { role: 'user', place: 4 }),
    turn(3, { place: null }),
    turn(4, { place: 2 }),
    turn(5, { place: 3 }),
    turn(6, { place: 5 }),
  ];
  for (const size of [1, 2, 6]) expect(await order(turns, size)).toEqual([1, 4, 5, 2, 3, 6]);
});

test('a callback is before the answer to it, and behind what was said before it was offered', async () => {
  const turns = [
    turn(1),
    turn(2, { role: 'user' }),
    turn(3, { role: 'tool' }),
    turn(4),
    turn(5, { role: 'callback', at: minute(2), source: null }),
    turn(6, { role: 'user' }),
  ];
  expect(await order(turns)).toEqual([1, 2, 5, 3, 4, 6]);
  // Two that were offered together stay in the order in which they ended.
  const two = [turn(1, { role: 'user' }), turn(2), ...[3, 4].map((seq) => ({ ...turns[4]!, seq }))];
  const at = minute(1);
  expect(await order(two.map((one) => (one.role === 'callback' ? { ...one, at } : one)))).toEqual([
    1, 3, 4, 2,
  ]);
});

test('what we write ourselves is in order', async () => {
  const ours = { source: null, at: minute(9) } as const;
  const turns = [turn(1, ours), turn(2, ours), turn(3, { role: 'callback', at: minute(3) })];
  expect(await order(turns)).toEqual([1, 2, 3]);
});
