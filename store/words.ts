/** Prompt and answer of an invocation: each may hold megabytes, so they are read only where they are told. */
import { redact, secretCharsMax, withoutCutWord } from '../domain/redact.ts';
import { withinBytes } from './page.ts';
import type { Db } from './database.ts';
import { finals } from './invocations.ts';

export interface Words {
  prompt: string;
  result_content: string | null;
}

/** Enough of a text for a title, a summary or a line in a list. */
const START_CHARS = 400;

/** Null when there is no such invocation. */
export function wordsOf(db: Db, id: string): Words | null {
  return (
    db.get<Words>('SELECT prompt, result_content FROM subagent_sessions WHERE id = :id', { id }) ??
    null
  );
}

export function wordsOfAll(db: Db, ids: string[]): Map<string, Words> {
  const rows = db.all<Words & { id: string }>(
    `SELECT id, prompt, result_content FROM subagent_sessions
     WHERE id IN (SELECT value FROM json_each(:ids))`,
    { ids: JSON.stringify(ids) },
  );
  return new Map(rows.map((row) => [row.id, row]));
}

export function promptStart(db: Db, id: string): string {
  return startOf(db, id, 'prompt') ?? '';
}

export function answerStart(db: Db, id: string): string | null {
  return startOf(db, id, 'result_content');
}

function startOf(db: Db, id: string, column: 'prompt' | 'result_content'): string | null {
  const row = db.get<{ start: string | null }>(
    `SELECT ${startSql(column)} AS start FROM subagent_sessions WHERE id = :id`,
    { id },
  );
  return typeof row?.start === 'string' ? safeStart(row.start) : null;
}

const startReadChars = START_CHARS + secretCharsMax;
export const startSql = (column: string) => `substr(${column}, 1, ${startReadChars})`;

/** Of what was read so: without secrets, nor half of one that goes on behind it. */
export const safeStart = (start: string): string =>
  start.length < startReadChars ? redact(start) : withoutCutWord(redact(start));

export interface Sized {
  id: string;
  bytes: number;
}

/** What a record of the row would bring, apart from a few hundred bytes that all have. */
export const wordBytes = 'octet_length(prompt) + coalesce(octet_length(result_content), 0)';

export function wordBytesOf(db: Db, id: string): number {
  const row = db.get<{ bytes: number }>(
    `SELECT ${wordBytes} AS bytes FROM subagent_sessions WHERE id = :id`,
    { id },
  );
  return row?.bytes ?? 0;
}

/** Those of them for which one answer has no room, when the ended come first: they are what is waited for. */
export function beyondBytes(db: Db, ids: string[]): string[] {
  const found = db.all<Sized>(
    `SELECT s.id, ${wordBytes} AS bytes FROM subagent_sessions s
     JOIN json_each(:ids) AS asked ON s.id = asked.value
     ORDER BY s.status NOT IN ${finals}, asked.key`,
    { ids: JSON.stringify(ids) },
  );
  return found.slice(withinBytes(found).length).map(({ id }) => id);
}
