/** Brings the index up to the store: what has gone, what belongs elsewhere, what is new. */
import { limits } from '../contract/limits.ts';
import { compactedMark, type TurnRole } from '../contract/words.ts';
import type { Db } from '../store/database.ts';
import { tokensOfDay } from './dates.ts';
import { expand } from './expand.ts';
import { markOf, type IndexFile, type IndexState } from './index-file.ts';
import type { Lengths } from './lengths.ts';
import type { Places } from './places.ts';
import { scopeTokens } from './scope.ts';

/** Of one transaction: what a search may have to wait for. The more, the fewer pieces has the index to merge. */
const turnsMax = 20_000;
const charsMax = 20_000_000;
/** Read at once; texts may be long. */
const pageTurns = 500;
const changesMax = 200;

interface TurnRow {
  id: number;
  session_id: number;
  seq: number;
  role: TurnRole;
  at: string;
  text: string;
}

const cut = limits.searchedCharsMax;

/** A call as a turn of tools alone tells it; of a result such a turn has the text without the name. */
const toldOfTool = `iif(value ->> 'kind' = 'result', value ->> 'text',
  rtrim(concat_ws(' ', value ->> 'name', value ->> 'text'), char(9, 10, 13, 32)))`;

/** Turns with all that was said in them: after the text what tools were asked and have answered, where it does not say so itself. */
export const saidTurns = `(
  SELECT id, session_id, seq, role, at, CASE WHEN tools IS NULL THEN text ELSE
    text || coalesce(iif(text = '', '', char(10)) || (
      SELECT group_concat(concat_ws(' ', value ->> 'name', value ->> 'text'), char(10))
      FROM json_each(tools) WHERE NOT instr(turns.text, ${toldOfTool})), '') END AS text
  FROM turns)`;

/** Of a long text its two ends. */
export const searchedText = `CASE WHEN octet_length(text) <= ${cut} OR length(text) <= ${cut} THEN text
  ELSE substr(text, 1, ${cut / 2}) || char(10) || substr(text, -${cut / 2}) END`;

export interface CatchUp {
  /** In one transaction. Answers whether there may be more to do. */
  step(): boolean;
}

export function createCatchUp(
  main: Db,
  index: IndexFile,
  places: Places,
  lengths: Lengths,
): CatchUp {
  const writer = createWriter(main, index, places, lengths);
  return {
    step() {
      // One snapshot of the store: what it says of changes and of turns belongs together.
      main.exec('BEGIN');
      index.db.exec('BEGIN IMMEDIATE');
      try {
        const step = takeStep(main, index, places, writer);
        index.db.exec('COMMIT');
        lengths.follow(index.state.watermark);
        return step;
      } catch (error) {
        if (index.db.inTransaction) index.db.exec('ROLLBACK');
        throw error;
      } finally {
        main.exec('COMMIT');
      }
    },
  };
}

/** Whether anything has happened since, at the price of two look-ups. */
export function isBehind(main: Db, { state }: IndexFile): boolean {
  return (
    (newestTurn(main) ?? 0) !== state.watermark ||
    main.get('SELECT 1 FROM search_changes WHERE n > :n', { n: state.changes }) !== undefined
  );
}

function takeStep(main: Db, index: IndexFile, places: Places, writer: Writer): boolean {
  const state: IndexState = { ...index.state };
  // The last ids are given again when their turns have gone.
  state.watermark = Math.min(state.watermark, newestTurn(main) ?? 0);
  const changes = main.all<{ n: number; turn_id: number | null; session_id: number | null }>(
    `SELECT n, turn_id, session_id FROM search_changes WHERE n > :n ORDER BY n LIMIT ${changesMax}`,
    { n: state.changes },
  );
  // Each once, as it is now: a session may have moved again and again, and an id may have been given again since.
  for (const turnId of new Set(changes.flatMap(({ turn_id: id }) => id ?? []))) {
    places.forget(places.sessionOf(turnId));
    writer.replaceTurn(turnId, state);
  }
  for (const sessionId of new Set(changes.flatMap(({ session_id: id }) => id ?? []))) {
    places.forget(sessionId);
    writer.replaceSession(sessionId, state);
  }
  state.changes = changes.at(-1)?.n ?? state.changes;
  // While there are more, an id that is given again may still have in the index what it had before.
  const isFollowed = changes.length < changesMax;
  const isWhole = isFollowed && addNew(main, writer, state);
  state.mark = markOf(main, state.watermark);
  index.save(state);
  return !isWhole;
}

/** Answers whether all that is new has been put in. */
function addNew(main: Db, writer: Writer, state: IndexState): boolean {
  const last = { id: state.watermark + turnsMax, chars: state.chars + charsMax };
  while (state.watermark < last.id && state.chars < last.chars) {
    const rows = main.all<TurnRow>(
      `SELECT id, session_id, seq, role, at, ${searchedText} AS text FROM ${saidTurns}
       WHERE id > :watermark ORDER BY id LIMIT ${pageTurns}`,
      { watermark: state.watermark },
    );
    for (const row of rows) writer.add(row, state);
    state.watermark = rows.at(-1)?.id ?? state.watermark;
    if (rows.length < pageTurns) return true;
  }
  return false;
}

const newestTurn = (main: Db) =>
  main.get<{ id: number | null }>('SELECT max(id) AS id FROM turns')!.id;

type Writer = ReturnType<typeof createWriter>;

function createWriter(main: Db, { db, names }: IndexFile, places: Places, lengths: Lengths) {
  const insert = db.prepare('INSERT INTO turn_index (rowid, text, scope) VALUES (?, ?, ?)');
  const removal = db.prepare('DELETE FROM turn_index WHERE rowid = ?');

  function remove(turnId: number): void {
    removal.run(turnId);
    lengths.forget(turnId);
  }

  function add(row: TurnRow, state: IndexState): void {
    if (row.role === 'mark' && !row.text.startsWith(compactedMark)) return;
    const scope = scopeTokens(names, row.session_id, places.add(row.id, row.session_id));
    insert.run(row.id, expand(row.text), `${scope} ${tokensOfDay(row.at)}`);
    state.turns += 1;
    state.chars += row.text.length;
  }

  const read = (where: string, params: { id: number; after: number; watermark: number }) =>
    main.all<TurnRow>(
      `SELECT id, session_id, seq, role, at, ${searchedText} AS text FROM ${saidTurns}
       WHERE ${where} AND seq > :after AND id <= :watermark ORDER BY seq LIMIT ${pageTurns}`,
      params,
    );

  /** One that is there is written anew, and one that is not is taken out. */
  function replaceTurn(id: number, state: IndexState): void {
    remove(id);
    for (const row of read('id = :id', { id, after: 0, watermark: state.watermark })) {
      add(row, state);
    }
  }

  function replaceSession(id: number, state: IndexState): void {
    for (let after = 0; ;) {
      const rows = read('session_id = :id', { id, after, watermark: state.watermark });
      for (const row of rows) {
        remove(row.id);
        add(row, state);
      }
      if (rows.length < pageTurns) return;
      after = rows.at(-1)!.seq;
    }
  }
  return { add, replaceTurn, replaceSession };
}
