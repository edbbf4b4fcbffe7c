/** What a search is worth: our ranking beside FTS5 as it comes, on the half that nothing was tuned on. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Figure } from '../figure.ts';
import { measureOurs, measurePlain, type Quality } from '../quality/measure-quality.ts';
import { readHalf } from '../quality/talks.ts';
import type { Row } from '../row.ts';

export const qualityRow: Row = {
  name: 'quality',
  measure: async () => [...(await compare('a', 'tuned on')), ...(await compare('b', 'held out'))],
};

async function compare(name: 'a' | 'b', what: string): Promise<Figure[]> {
  const half = readHalf(name);
  const folder = mkdtempSync(join(tmpdir(), 'offshoot-quality-'));
  try {
    const ours = await measureOurs(folder, half);
    const plain = measurePlain(half);
    const about = `${half.questions.length} questions, ${half.conversations.length} conversations (${what})`;
    const figure = (title: string, of: keyof Quality): Figure => ({
      what: `${title}, ${about}`,
      ours: ours[of].toFixed(3),
      floor: plain[of].toFixed(3),
      ratio: (ours[of] / plain[of]).toFixed(2),
      bound: '>= 1',
      isMet: ours[of] >= plain[of],
    });
    return [figure('recall@10 of turns, ours and plain FTS5', 'recallAt10'), figure('MRR', 'mrr')];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
