import { expect, test } from '@jest/globals';
import { measureOurs, measurePlain } from '../../bench/quality/measure-quality.ts';
import { readHalf } from '../../bench/quality/talks.ts';
import { withFolder } from '../support/folder.ts';

const halves = { a: readHalf('a'), b: readHalf('b') };

test('the labelled conversations are as many as they should be, and every label names a turn of an agent or a tool', () => {
  const both = [halves.a, halves.b];
  expect(both.flatMap((half) => half.conversations).length).toBeGreaterThanOrEqual(40);
  expect(both.flatMap((half) => half.questions).length).toBeGreaterThanOrEqual(200);
  for (const { conversations, questions } of both) {
    for (const { key, turn } of questions) {
      const labelled = conversations.find((one) => one.key === key)!.turns[turn - 1]!;
      expect(labelled.role).not.toBe('user');
    }
  }
});

test('turns that answer a question are found more often than by FTS5 as it comes, on the half that nothing was tuned on', () =>
  withFolder(async (folder) => {
    const [ours, plain] = [await measureOurs(folder, halves.b), measurePlain(halves.b)];
    expect(ours.recallAt10).toBeGreaterThan(plain.recallAt10 + 0.2);
    expect(ours.mrr).toBeGreaterThan(plain.mrr * 1.5);
  }));
