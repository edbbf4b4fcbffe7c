/** How many words each turn of the index has. FTS5 keeps that by itself; a look at each of thousands of turns costs too much. */
import type BetterSqlite3 from 'better-sqlite3';

export interface Lengths {
  of(turnId: number): number;
  mean(): number;
  /** Turns that have been put in since are looked at once. */
  follow(watermark: number): void;
}

const fewest = 65_536;
/** Turns of one row: what is read as text is held in memory as text. */
const readTogether = 50_000;

export function createLengths(db: BetterSqlite3.Database): Lengths {
  let words = new Uint16Array(fewest);
  let seen = 0;
  let turns = 0;
  let sum = 0;
  const read = db.prepare(readSql).pluck();

  function note(turnId: number, count: number): void {
    if (turnId >= words.length) {
      const longer = new Uint16Array(Math.ceil(turnId * 1.5));
      longer.set(words);
      words = longer;
    }
    words[turnId] = Math.min(count, 65_535);
    turns += 1;
    sum += count;
  }

  return {
    of: (turnId) => words[turnId] ?? 0,
    mean: () => sum / Math.max(1, turns),
    follow(watermark) {
      // The last ids are given again when their turns have gone.
      seen = Math.min(seen, watermark);
      while (seen < watermark) {
        const last = Math.min(watermark, seen + readTogether);
        const found = read.get(seen, last) as string | null;
        for (const one of found?.split(',') ?? []) {
          const [id = '', sizes = ''] = one.split(' ');
          note(Number(id), firstSize(sizes));
        }
        seen = last;
      }
    },
  };
}

/** In a fifth of the time that a row for each turn takes. */
const readSql = `SELECT group_concat(id || ' ' || substr(hex(sz), 1, 6))
  FROM turn_index_docsize WHERE id > ? AND id <= ?`;

/** The first of SQLite's numbers of variable length: the words of the text; after it comes the scope's. */
function firstSize(hex: string): number {
  let size = 0;
  for (let at = 0; at < hex.length; at += 2) {
    const byte = parseInt(hex.slice(at, at + 2), 16);
    size = size * 128 + (byte & 127);
    if (byte < 128) break;
  }
  return size;
}
