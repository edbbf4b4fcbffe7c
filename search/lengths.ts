/** How many words each turn of the index has. FTS5 keeps that by itself; a look at each of thousands of turns costs too much. */
import type BetterSqlite3 from 'better-sqlite3';

export interface Lengths {
  of(turnId: number): number;
  mean(): number;
  /** It is taken out; it may come again as another. */
  forget(turnId: number): void;
  /** Turns that have been put in since are looked at once. */
  follow(watermark: number): void;
}

const fewest = 65_536;
/** Turns of one row: what is read as text is held in memory as text. */
const readTogether = 50_000;
const most = 65_534;

export function createLengths(db: BetterSqlite3.Database): Lengths {
  /** One more than there are words: 0 is a turn that is not there. */
  let known = new Uint16Array(fewest);
  const forgotten = new Set<number>();
  let seen = 0;
  let turns = 0;
  let sum = 0;
  const readRange = db.prepare(`${readSql} WHERE id > ? AND id <= ?`).pluck();
  const readSome = db.prepare(`${readSql} WHERE id IN (SELECT value FROM json_each(?))`).pluck();

  const of = (turnId: number) => Math.max(0, (known[turnId] ?? 0) - 1);

  function takeOut(turnId: number): void {
    if (!known[turnId]) return;
    turns -= 1;
    sum -= of(turnId);
    known[turnId] = 0;
  }

  function note(turnId: number, words: number): void {
    if (turnId >= known.length) {
      const longer = new Uint16Array(Math.ceil(turnId * 1.5));
      longer.set(known);
      known = longer;
    }
    takeOut(turnId);
    known[turnId] = Math.min(words, most) + 1;
    turns += 1;
    sum += of(turnId);
  }

  function noteAll(found: unknown): void {
    if (typeof found !== 'string') return;
    for (const one of found.split(',')) {
      const [id = '', sizes = ''] = one.split(' ');
      note(Number(id), firstSize(sizes));
    }
  }

  return {
    of,
    mean: () => sum / Math.max(1, turns),
    forget: (turnId) => void forgotten.add(turnId),
    follow(watermark) {
      for (const turnId of forgotten) takeOut(turnId);
      if (forgotten.size > 0) noteAll(readSome.get(JSON.stringify([...forgotten])));
      forgotten.clear();
      // The last ids are given again when their turns have gone.
      seen = Math.min(seen, watermark);
      while (seen < watermark) {
        const last = Math.min(watermark, seen + readTogether);
        noteAll(readRange.get(seen, last));
        seen = last;
      }
    },
  };
}

/** In a fifth of the time that a row for each turn takes. */
const readSql = `SELECT group_concat(id || ' ' || substr(hex(sz), 1, 6)) FROM turn_index_docsize`;

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
