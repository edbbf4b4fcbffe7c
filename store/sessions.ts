import { AppError } from '../contract/errors.ts';
import type { RuntimePath } from '../contract/words.ts';
import { ensureAgent } from './agents.ts';
import type { Db } from './database.ts';
import type { Tx } from './write-queue.ts';

export interface SessionRow {
  id: number;
  agent_id: string;
  session_key: string;
  kind: 'external' | 'managed';
  harness: string | null;
  project: string | null;
  title: string | null;
  last_seq: number;
  runtime_path: RuntimePath | null;
  claimed_at: string | null;
  claim_expires_at: string | null;
  /** One of `bypassStates`. */
  bypassed: number;
  context_epoch: number;
  /** JSON: see snapshots.ts. */
  snapshot: string | null;
  created_at: string;
  /** When it was active last, as its events say, and not after it was heard. */
  updated_at: string;
  ended_at: string | null;
  harness_agent_id: string | null;
  prompt_count: number;
}

export function findSession(db: Db, agentId: string, sessionKey: string): SessionRow | undefined {
  return db.get('SELECT * FROM sessions WHERE agent_id = :agentId AND session_key = :sessionKey', {
    agentId,
    sessionKey,
  });
}

/** Sessions with this key, whichever agent they belong to: one is an answer, several are a question. */
export function sessionsByKey(db: Db, sessionKey: string): SessionRow[] {
  return db.all(
    `SELECT * FROM sessions WHERE session_key = :sessionKey ORDER BY id LIMIT ${agentsTold}`,
    { sessionKey },
  );
}

/** Enough to say whose it may be; nobody has as many agents that share a key. */
const agentsTold = 20;

/** Whose a session with this key is: the same without the rest of it. */
export function agentsWithKey(db: Db, sessionKey: string): string[] {
  return db
    .all<Pick<SessionRow, 'agent_id'>>(
      `SELECT agent_id FROM sessions WHERE session_key = :sessionKey ORDER BY id LIMIT ${agentsTold}`,
      { sessionKey },
    )
    .map((session) => session.agent_id);
}

/** The first session, whichever agent has it, that a program calls by this id, or by one that begins with it. */
export function firstNamed(db: Db, { id, isCut }: { id: string; isCut: boolean }) {
  return db.get<SessionRow>(
    `SELECT * FROM sessions WHERE session_key >= :id AND session_key <= :last
     UNION SELECT * FROM sessions WHERE harness_agent_id = :id ORDER BY id LIMIT 1`,
    { id, last: isCut ? `${id}\u{10ffff}` : id },
  );
}

export function findSessionById(db: Db, id: number): SessionRow | undefined {
  return db.get('SELECT * FROM sessions WHERE id = :id', { id });
}

/** For an id that a row of this database holds as a foreign key. */
export function sessionById(db: Db, id: number): SessionRow {
  return findSessionById(db, id)!;
}

/** It said that it is over. What it says after that shows that it goes on: then `at` is null. */
export function setEnded(tx: Tx, session: SessionRow, at: string | null): void {
  tx.db.run('UPDATE sessions SET ended_at = :at WHERE id = :id AND ended_at IS NOT :at', {
    id: session.id,
    at,
  });
}

/** The session as it is in this transaction; it may have been deleted since it was looked up. */
export function isThere(db: Db, session: SessionRow): boolean {
  return findSessionById(db, session.id) !== undefined;
}

export interface NewSession {
  agentId: string;
  sessionKey: string;
  kind: 'external' | 'managed';
  harness: string | null;
  project: string | null;
  title: string | null;
  /** When it was heard to be at work; now, where it is not said. */
  at?: string;
}

export function insertSession(tx: Tx, session: NewSession): SessionRow {
  ensureAgent(tx, session.agentId);
  return tx.db.get(
    `INSERT INTO sessions (agent_id, session_key, kind, harness, project, title, created_at, updated_at,
                           active_hour)
     VALUES (:agentId, :sessionKey, :kind, :harness, :project, :title, :at, :at,
             substr(:at, 1, 13)) RETURNING *`,
    { ...session, at: notAfter(tx.now, session.at) },
  )!;
}

/** A program's clock may be somewhat ahead of ours. */
const notAfter = (now: string, at = now) => (at < now ? at : now);

/** Registers an external session, or touches it: what is said anew replaces what was known. */
export function registerSession(
  tx: Tx,
  session: Omit<NewSession, 'kind'>,
  known = findSession(tx.db, session.agentId, session.sessionKey),
): SessionRow {
  if (known?.kind === 'managed') {
    throw new AppError(
      'forbidden',
      `${known.session_key} is a session of ours: it is not registered`,
    );
  }
  if (!known) return insertSession(tx, { ...session, kind: 'external' });
  const told = {
    harness: session.harness ?? known.harness,
    project: session.project ?? known.project,
    title: session.title ?? known.title,
  };
  const at = notAfter(tx.now, session.at);
  const active = at > known.updated_at ? at : known.updated_at;
  // Columns that are named are written to their indexes, too, also where they stay as they are.
  if (isAsKnown(told, known)) {
    tx.db.run('UPDATE sessions SET updated_at = :active WHERE id = :id', { id: known.id, active });
  } else {
    tx.db.run(
      `UPDATE sessions SET harness = :harness, project = :project, title = :title,
              updated_at = :active WHERE id = :id`,
      { ...told, id: known.id, active },
    );
    if (told.project !== known.project) tx.note({ kind: 'moved', sessionId: known.id });
  }
  return { ...known, ...told, updated_at: active };
}

type Told = Pick<SessionRow, 'harness' | 'project' | 'title'>;

const isAsKnown = (told: Told, { harness, project, title }: SessionRow) =>
  told.harness === harness && told.project === project && told.title === title;
