import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import {
  everyTurn,
  keepTail,
  lastTurns,
  rangesAfter,
  rangesFromEnd,
  rangesOf,
  setRanges,
  wasSaid,
} from '../../store/reading-order.ts';
import { readingPlaces } from '../../store/reading-places.ts';
import { lastPrompts, lastSaid } from '../../store/said.ts';
import { registerSession } from '../../store/sessions.ts';
import { appendTurns } from '../../store/turns.ts';
import { withStore } from './store-fixture.ts';

const s1 = { agentId: 'default', sessionKey: 's1', harness: null, project: null, title: null };

interface Step {
  /** Turns that come; false: about the session. */
  said: boolean[];
  /** How many of the last turns have other places from now on, and by what they are put there. */
  tail: number;
  weights: number[];
  /** A turn that was read earlier, or not any more, and stands at the end now. */
  back: number;
  /** Every so many turns of the tail are left. */
  leftEvery: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  said: fc.array(
    fc.nat(4).map((n) => n > 0),
    { maxLength: 6 },
  ),
  tail: fc.nat(6),
  weights: fc.array(fc.nat(3), { minLength: 8, maxLength: 8 }),
  back: fc.nat(40),
  leftEvery: fc.nat(12),
});

test('only the end of the order is written, and the whole is as it was meant', async () => {
  await withStore(async ({ store }) => {
    let lives = 0;
    const live = async (hasMarks: boolean, leaves: boolean, steps: Step[]) => {
      const sessionKey = `s${(lives += 1)}`;
      const session = await store.write((tx) => registerSession(tx, { ...s1, sessionKey }));
      let meant: number[] = [];
      const every: number[] = [];
      let marks = 0;
      for (const { said: drawn, tail, weights, back, leftEvery } of steps) {
        const said = drawn.map((isSaid) => isSaid || !hasMarks);
        await store.write((tx) => {
          const turns = said.map((isSaid) => ({
            role: isSaid ? ('user' as const) : ('mark' as const),
            text: 'x',
          }));
          const first = appendTurns(tx, session.id, turns);
          const fresh = said.flatMap((isSaid, index) => (isSaid ? [first + index] : []));
          const known = meant.slice(meant.length - Math.min(tail, meant.length));
          const again = every.slice(back, back + 1).filter((seq) => !known.includes(seq));
          every.push(...fresh);
          const touched = new Set([...known, ...again, ...fresh]);
          const order = [...touched]
            .filter((_, index) => !leaves || leftEvery === 0 || (index + 1) % leftEvery !== 0)
            .map((seq, index) => ({ seq, weight: weights[index % 8]! }))
            .toSorted((a, b) => a.weight - b.weight)
            .map(({ seq }) => seq);
          keepTail(tx, session.id, { order, touched, firstOf: [...touched] });
          meant = [...meant.filter((seq) => !touched.has(seq)), ...order];
        });
        const read = lastTurns(store.db, session.id, everyTurn);
        expect(read.filter(({ role }) => role !== 'mark').map(({ seq }) => seq)).toEqual(meant);
        // Where nothing was left, all that is about the session is read, and once.
        const all = read.map(({ seq }) => seq).toSorted((a, b) => a - b);
        expect(all).toEqual([...new Set(all)]);
        if (!leaves) expect(all).toEqual(all.map((_, index) => index + 1));
        // What came after a turn: since all that was there, or late.
        const after = Math.floor((read.length * back) / 40);
        const known = read.findLastIndex(({ seq }) => seq <= after);
        const later = [...rangesAfter(store.db, session.id, after)];
        const placed = read.map(({ seq }) => {
          const found = later.filter(({ from, to }) => from <= seq && seq <= to);
          expect(found.length).toBe(seq > after ? 1 : 0);
          return found[0]?.isLate;
        });
        expect(placed).toEqual(read.map(({ seq }, at) => (seq > after ? at < known : undefined)));
        const numbered = read.map(({ seq }) => seq);
        for (const [first, last] of [
          [1, everyTurn],
          [after, after],
          [after, after + 3],
        ] as const) {
          const placeOf = readingPlaces(store.db, session.id, { first, last });
          for (let seq = first; seq <= Math.min(last, Math.max(...numbered)); seq += 1) {
            expect(placeOf(seq) ?? 0).toBe(numbered.indexOf(seq) + 1);
          }
        }
        marks += said.length - said.filter(Boolean).length;
        if (!leaves) expect(all).toHaveLength(every.length + marks);
        const next = new Map(every.map((seq, at) => [seq, every[at + 1]]));
        // What stands as it came is one range, but for what is about the session; the last takes what comes next.
        const closed = meant.filter((_, at) => next.get(meant[at - 1] ?? 0) !== meant[at]).length;
        const isAsItCame = meant.length === every.length && closed <= 1;
        const ranges = rangesOf(store.db, session.id)?.length ?? 0;
        if (marks === 0) expect(ranges).toBe(isAsItCame ? 0 : closed + 1);
        else expect(ranges).toBeLessThanOrEqual(closed + 1 + 2 * marks);
      }
    };
    const setting = { seed: 20261118, numRuns: 150 };
    await fc.assert(
      fc.asyncProperty(fc.boolean(), fc.boolean(), fc.array(step, { maxLength: 25 }), live),
      setting,
    );
  });
});

test('the end of a session is read and put in order at the same cost, however long its order is', () =>
  withStore(async ({ store }) => {
    const make = async (sessionKey: string, pairs: number) => {
      const id = await store.write((tx) => {
        const made = registerSession(tx, { ...s1, sessionKey });
        const turns = Array.from({ length: 2 * pairs }, () => ({
          role: 'user' as const,
          text: 'x',
        }));
        appendTurns(tx, made.id, turns);
        const swapped = Array.from({ length: pairs }, (_, n) => [2 * n + 2, 2 * n + 1]).flat();
        const ranges = swapped.map((seq) => [seq, seq] as const);
        setRanges(tx, made.id, [...ranges, [2 * pairs + 1, null]]);
        return made.id;
      });
      return { id, after: 2 * pairs - 8, written: [] as number[], times: [] as number[] };
    };
    const [short, long] = [await make('short', 20), await make('long', 60_000)];
    // One after the other: what else the machine does slows both.
    for (let round = 0; round < 21; round += 1) {
      for (const { id, after, written, times } of [short, long]) {
        const began = performance.now();
        written.push(
          await store.write((tx) => {
            const changes = () => tx.db.get<{ n: number }>('SELECT total_changes() AS n')!.n;
            const before = changes();
            const turns = [1, 2].map(() => ({ role: 'user' as const, text: 'x' }));
            const first = appendTurns(tx, id, turns);
            const order = [first + 1, first];
            keepTail(tx, id, { order, touched: new Set(order), firstOf: order });
            return changes() - before;
          }),
        );
        expect(lastTurns(store.db, id, 3)).toHaveLength(3);
        for (const ranges of [rangesFromEnd(store.db, id), rangesAfter(store.db, id, after)]) {
          expect(lastSaid(store.db, id, ranges, 4)).toHaveLength(4);
        }
        const all = { after, count: 1000, charsMax: 4 };
        expect(lastPrompts(store.db, id, all)).toHaveLength(10 + 2 * round);
        times.push(performance.now() - began);
      }
    }
    expect(long.written).toEqual(short.written);
    // The fastest: what else the machine does makes none of them faster. A scan would take three thousand times as long.
    expect(Math.min(...long.times) / Math.min(...short.times)).toBeLessThan(10);
  }));

test('a transcript that is read in another order costs little more than one that came so', () =>
  withStore(async ({ store }) => {
    const pairs = 4_000;
    const times = [];
    for (const isSwapped of [false, true]) {
      const sessionKey = `swapped: ${isSwapped}`;
      const swapped = Array.from({ length: pairs }, (_, n) => [2 * n + 2, 2 * n + 1]).flat();
      await store.write((tx) => {
        const made = registerSession(tx, { ...s1, sessionKey });
        const turns = swapped.map((_, index) => ({ role: 'user' as const, text: `${index + 1}` }));
        appendTurns(tx, made.id, turns);
        const ranges = swapped.map((seq) => [seq, seq] as const);
        if (isSwapped) setRanges(tx, made.id, [...ranges, [2 * pairs + 1, null]]);
      });
      const took = [];
      let read: { content: string } | undefined;
      for (let time = 0; time < 3; time += 1) {
        const began = performance.now();
        read = store.db.get<{ content: string }>(
          'SELECT content FROM session_transcripts WHERE session_key = :sessionKey',
          { sessionKey },
        );
        took.push(performance.now() - began);
      }
      times.push(Math.min(...took));
      const order = isSwapped ? swapped : swapped.map((_, index) => index + 1);
      expect(read!.content).toBe(order.map((seq) => `User: ${seq}`).join('\n'));
    }
    expect(times[1]! / times[0]!).toBeLessThan(50);
  }));

test('a branch that is taken again has only what is about it, not what is read behind it already', () =>
  withStore(async ({ store }) => {
    const session = await store.write((tx) => registerSession(tx, s1));
    const order = (said: readonly number[], touched: number[]) =>
      store.write((tx) => {
        const firstOf = touched;
        keepTail(tx, session.id, { order: said, touched: new Set(touched), firstOf });
      });
    const come = (...roles: ('user' | 'mark')[]) =>
      store.write((tx) =>
        appendTurns(
          tx,
          session.id,
          roles.map((role) => ({ role, text: 'x' })),
        ),
      );
    await come('user', 'user', 'mark');
    await order([1], [1, 2]);
    await come('mark');
    await order([2], [2]);
    const read = lastTurns(store.db, session.id, everyTurn).map(({ seq }) => seq);
    expect(read).toEqual([1, 4, 2, 3]);
  }));

test('a session of any length is read whole', () =>
  withStore(async ({ store }) => {
    const count = 150_000;
    const session = await store.write((tx) => {
      const made = registerSession(tx, s1);
      const turns = Array.from({ length: count }, () => ({ role: 'user' as const, text: 'x' }));
      appendTurns(tx, made.id, turns);
      return made;
    });
    expect(lastTurns(store.db, session.id, everyTurn)).toHaveLength(count);
  }));

test('SQL takes for said what JavaScript does: no character is blank for one of them alone', () =>
  withStore(async ({ store }) => {
    const codes = Array.from({ length: 0xffff }, (_, n) => n + 1).filter(isNoHalf);
    const blank = store.db.all<{ value: number }>(
      `SELECT value FROM (SELECT 'user' AS role, char(value) AS text, value FROM json_each(:codes))
       WHERE NOT (${wasSaid}) ORDER BY value`,
      { codes: JSON.stringify(codes) },
    );
    expect(blank.map(({ value }) => value)).toEqual(
      codes.filter((code) => String.fromCharCode(code).trim() === ''),
    );
    const none = `SELECT ${wasSaid} AS yes FROM (SELECT 'user' AS role, '' AS text)`;
    expect(store.db.get(none)).toEqual({ yes: 0 });
  }));

const isNoHalf = (code: number) => code < 0xd800 || code > 0xdfff;
