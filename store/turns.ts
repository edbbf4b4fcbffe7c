/** Transcripts: appended, never changed. */
import type { Turn } from '../contract/records.ts';
import type { TurnRole, TurnSource } from '../contract/words.ts';
import type { Db } from './database.ts';
import { withinBytes } from './page.ts';
import type { Tx } from './write-queue.ts';

export interface NewTurn {
  sessionId: number;
  role: TurnRole;
  text: string;
  at?: string;
  /** Where it came from. A second one with the same source adds nothing. */
  src?: string;
  invocationId?: string;
  runNo?: number;
  late?: boolean;
  /** The line of its program's transcript. */
  raw?: string;
  /** JSON. */
  tools?: string;
  source?: TurnSource;
  /** JSON. */
  extra?: string;
}

export type NewTurnOfMany = Omit<NewTurn, 'sessionId' | 'src' | 'invocationId' | 'runNo' | 'late'>;

/** A session was active when its last turn was said, not when that is told. */
const activeAt = 'updated_at = max(updated_at, min(:at, :now))';

/** Whether the turn was new. */
export function appendTurn(tx: Tx, turn: NewTurn): boolean {
  const added = tx.db.run(
    `INSERT INTO turns (session_id, seq, role, at, text, src, invocation_id, run_no, late,
                        raw, tools, source, extra)
     SELECT id, last_seq + 1, :role, :at, :text, :src, :invocationId, :runNo, :late,
            :raw, :tools, :source, :extra
     FROM sessions WHERE id = :sessionId
     ON CONFLICT (session_id, src) WHERE src IS NOT NULL DO NOTHING`,
    {
      sessionId: turn.sessionId,
      role: turn.role,
      at: turn.at ?? tx.now,
      text: turn.text,
      src: turn.src ?? null,
      invocationId: turn.invocationId ?? null,
      runNo: turn.runNo ?? null,
      late: turn.late ? 1 : 0,
      raw: turn.raw ?? null,
      tools: turn.tools ?? null,
      source: turn.source ?? null,
      extra: turn.extra ?? null,
    },
  );
  if (added === 0) return false;
  tx.db.run(`UPDATE sessions SET last_seq = last_seq + 1, ${activeAt} WHERE id = :id`, {
    id: turn.sessionId,
    at: turn.at ?? tx.now,
    now: tx.now,
  });
  tx.note({ kind: 'turn', sessionId: turn.sessionId, turns: 1, chars: charsOf(turn) });
  return true;
}

/** Several, none of which names a source; answers the number of the first, or 0 where there is none. */
export function appendTurns(tx: Tx, sessionId: number, turns: NewTurnOfMany[]): number {
  if (turns.length === 0) return 0;
  // Not by RETURNING, which takes twice as long as both.
  const { last } = tx.db.get<{ last: number }>(
    'SELECT last_seq AS last FROM sessions WHERE id = :sessionId',
    { sessionId },
  )!;
  tx.db.run(`UPDATE sessions SET last_seq = :last, ${activeAt} WHERE id = :sessionId`, {
    ...{ sessionId, now: tx.now },
    at: turns.reduce((latest, { at = tx.now }) => (at > latest ? at : latest), ''),
    last: last + turns.length,
  });
  const first = last + 1;
  turns.forEach((turn, index) => {
    tx.db.run(
      `INSERT INTO turns (session_id, seq, role, at, text, raw, tools, source, extra)
       VALUES (:sessionId, :seq, :role, :at, :text, :raw, :tools, :source, :extra)`,
      {
        sessionId,
        seq: first + index,
        role: turn.role,
        at: turn.at ?? tx.now,
        text: turn.text,
        raw: turn.raw ?? null,
        tools: turn.tools ?? null,
        source: turn.source ?? null,
        extra: turn.extra ?? null,
      },
    );
  });
  const chars = turns.reduce((sum, turn) => sum + charsOf(turn), 0);
  tx.note({ kind: 'turn', sessionId, turns: turns.length, chars });
  return first;
}

/** Of what it has said, with its tools. */
const charsOf = ({ text, tools }: Pick<NewTurn, 'text' | 'tools'>) =>
  text.length + (tools?.length ?? 0);

/** What came with it, where it has nothing of the kind yet. */
export function keepExtra(tx: Tx, sessionId: number, seq: number, extra: string): void {
  tx.db.run(
    'UPDATE turns SET extra = :extra WHERE session_id = :sessionId AND seq = :seq AND extra IS NULL',
    { sessionId, seq, extra },
  );
}

interface TurnRow {
  seq: number;
  role: TurnRole;
  at: string;
  text: string;
  invocation_id: string | null;
  run_no: number | null;
  late: number;
}

interface WhichTurns {
  sessionId: number;
  invocationId?: string;
  after: number;
  limit: number;
}

/** Turns of a session after `after`, in order; of one invocation only, where one is named. */
export function listTurns(db: Db, options: WhichTurns): { turns: Turn[]; hasMore: boolean } {
  const { after, limit } = options;
  const found = turnSizes(db, { ...options, limit: limit + 1 });
  const page = withinBytes(found.slice(0, limit));
  const [where, id] = whose(options);
  const rows = db.all<TurnRow>(
    `SELECT * FROM turns WHERE ${where} AND seq > :after AND seq <= :last ORDER BY seq`,
    { id, after, last: page.at(-1)?.seq ?? after },
  );
  return { turns: rows.map(turnOf), hasMore: page.length < found.length };
}

/** The same turns without their words: which there are, and how long each is. */
export function turnSizes(db: Db, options: WhichTurns): { seq: number; bytes: number }[] {
  const [where, id] = whose(options);
  return db.all(
    `SELECT seq, octet_length(text) AS bytes FROM turns WHERE ${where} AND seq > :after
     ORDER BY seq LIMIT +:limit`,
    { id, after: options.after, limit: options.limit },
  );
}

/** Undefined where its session was deleted meanwhile. */
export function turnAt(db: Db, sessionId: number, seq: number): Turn | undefined {
  const row = db.get<TurnRow>('SELECT * FROM turns WHERE session_id = :sessionId AND seq = :seq', {
    sessionId,
    seq,
  });
  return row && turnOf(row);
}

const whose = ({ invocationId, sessionId }: WhichTurns): [string, string | number] =>
  invocationId ? ['invocation_id = :id', invocationId] : ['session_id = :id', sessionId];

function turnOf(row: TurnRow): Turn {
  return {
    seq: row.seq,
    role: row.role,
    at: row.at,
    text: row.text,
    invocationId: row.invocation_id,
    runNo: row.run_no,
    late: row.late === 1,
  };
}
