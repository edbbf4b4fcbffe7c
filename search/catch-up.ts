/** Brings the index up to the store: what has gone, what belongs elsewhere, what is new. */
import { limits } from '../contract/limits.ts';
import type { TurnRole } from '../contract/words.ts';
import type { Db } from '../store/database.ts';
import { tokensOfDay } from './dates.ts';
import { expand } from './expand.ts';
import { markOf, type IndexFile, type IndexState } from './index-file.ts';

/** Turns of one transaction: what a search may have to wait for, and what a rebuild takes at once. */
const turnsMax = 5000;
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

/** Turns with all that was said in them: after the text what tools were asked, and what they answered. */
export const saidTurns = `(
  SELECT id, session_id, seq, role, at, CASE WHEN tools IS NULL THEN text ELSE
    iif(text = '', '', text || char(10)) || coalesce((
      SELECT group_concat(concat_ws(' ', value ->> 'name', value ->> 'text'), char(10))
      FROM json_each(tools)), '') END AS text
  FROM turns)`;

/** Of a long text its two ends. */
export const searchedText = `CASE WHEN octet_length(text) <= ${cut} OR length(text) <= ${cut} THEN text
  ELSE substr(text, 1, ${cut / 2}) || char(10) || substr(text, -${cut / 2}) END`;

/** One step, in one transaction. Answers whether there may be more to do. */
export function catchUpStep(main: Db, index: IndexFile): boolean {
  // One snapshot of the store: what it says of changes and of turns belongs together.
  main.exec('BEGIN');
  index.db.exec('BEGIN IMMEDIATE');
  try {
    const step = takeStep(main, index);
    index.db.exec('COMMIT');
    return step;
  } catch (error) {
    if (index.db.inTransaction) index.db.exec('ROLLBACK');
    throw error;
  } finally {
    main.exec('COMMIT');
  }
}

/** Whether anything has happened since, at the price of two look-ups. */
export function isBehind(main: Db, { state }: IndexFile): boolean {
  return (
    (newestTurn(main) ?? 0) !== state.watermark ||
    main.get('SELECT 1 FROM search_changes WHERE n > :n', { n: state.changes }) !== undefined
  );
}

function takeStep(main: Db, index: IndexFile): boolean {
  const writer = createWriter(main, index);
  const state: IndexState = { ...index.state };
  const changes = main.all<{ n: number; turn_id: number | null; session_id: number | null }>(
    `SELECT n, turn_id, session_id FROM search_changes WHERE n > :n ORDER BY n LIMIT ${changesMax}`,
    { n: state.changes },
  );
  for (const { n, turn_id: turnId, session_id: sessionId } of changes) {
    // An id may have been given again since; what has it now is put in its place.
    if (turnId !== null && turnId <= state.watermark) writer.replace('id = :id', turnId, state);
    if (sessionId !== null) writer.replace('session_id = :id', sessionId, state);
    state.changes = n;
  }
  // The last ids are given again when their turns have gone.
  state.watermark = Math.min(state.watermark, newestTurn(main) ?? 0);
  const rows = main.all<TurnRow>(
    `SELECT id, session_id, seq, role, at, ${searchedText} AS text FROM ${saidTurns}
     WHERE id > :watermark ORDER BY id LIMIT ${turnsMax}`,
    { watermark: state.watermark },
  );
  for (const row of rows) writer.add(row, state);
  state.watermark = rows.at(-1)?.id ?? state.watermark;
  state.mark = markOf(main, state.watermark);
  index.save(state);
  return changes.length === changesMax || rows.length === turnsMax;
}

const newestTurn = (main: Db) =>
  main.get<{ id: number | null }>('SELECT max(id) AS id FROM turns')!.id;

function createWriter(main: Db, { db }: IndexFile) {
  const insert = db.prepare('INSERT INTO turn_index (rowid, text, scope) VALUES (?, ?, ?)');
  const remove = db.prepare('DELETE FROM turn_index WHERE rowid = ?');
  const scopes = new Map<number, string>();

  function scopeOf(sessionId: number): string {
    const known = scopes.get(sessionId);
    if (known !== undefined) return known;
    const row = main.get<{ agent_id: string; project: string | null; root: number | null }>(
      `SELECT agent_id, project, root_session_id AS root FROM sessions s
       LEFT JOIN lineage l ON l.session_id = s.id WHERE s.id = :sessionId`,
      { sessionId },
    )!;
    const project = row.project === null ? '' : ` p${scopeId(db, 'project', row.project)}`;
    const scope = `a${scopeId(db, 'agent', row.agent_id)}${project} s${sessionId} t${row.root ?? sessionId}`;
    scopes.set(sessionId, scope);
    return scope;
  }

  function add(row: TurnRow, state: IndexState): void {
    if (row.role === 'mark') return;
    insert.run(row.id, expand(row.text), `${scopeOf(row.session_id)} ${tokensOfDay(row.at)}`);
    state.turns += 1;
    state.chars += row.text.length;
  }

  /** Turns that are there are written anew, and those that are not are taken out. */
  function replace(where: 'id = :id' | 'session_id = :id', id: number, state: IndexState): void {
    if (where === 'id = :id') remove.run(id);
    const rows = main.all<TurnRow>(
      `SELECT id, session_id, seq, role, at, ${searchedText} AS text FROM ${saidTurns}
       WHERE ${where} AND id <= :watermark`,
      { id, watermark: state.watermark },
    );
    for (const row of rows) {
      remove.run(row.id);
      add(row, state);
    }
  }
  return { add, replace };
}

/** A small number of the index's own for a name that somebody else has given. */
function scopeId(db: IndexFile['db'], kind: string, name: string): number {
  db.prepare('INSERT OR IGNORE INTO scopes (kind, name) VALUES (?, ?)').run(kind, name);
  return findScope(db, kind, name)!;
}

export const findScope = (db: IndexFile['db'], kind: string, name: string) =>
  db.prepare('SELECT id FROM scopes WHERE kind = ? AND name = ?').pluck().get(kind, name) as
    number | undefined;
