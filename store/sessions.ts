import { AppError } from '../contract/errors.ts';
import type { SessionRecord } from '../contract/records.ts';
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
  created_at: string;
  updated_at: string;
}

export interface LineageRow {
  session_id: number;
  parent_session_id: number;
  root_session_id: number;
  depth: number;
  rule: string;
  at: string;
}

/** An agent is registered at first sight; a policy that is there already is kept. */
export function ensureAgent({ db }: Tx, agentId: string): void {
  db.run('INSERT INTO agents (id, name) VALUES (:agentId, :agentId) ON CONFLICT DO NOTHING', {
    agentId,
  });
}

export function findSession(db: Db, agentId: string, sessionKey: string): SessionRow | undefined {
  return db.get('SELECT * FROM sessions WHERE agent_id = :agentId AND session_key = :sessionKey', {
    agentId,
    sessionKey,
  });
}

/** Sessions with this key, whichever agent they belong to: one is an answer, two are a question. */
export function sessionsByKey(db: Db, sessionKey: string): SessionRow[] {
  return db.all('SELECT * FROM sessions WHERE session_key = :sessionKey LIMIT 2', { sessionKey });
}

export function findSessionById(db: Db, id: number): SessionRow | undefined {
  return db.get('SELECT * FROM sessions WHERE id = :id', { id });
}

/** For an id that a row of this database holds as a foreign key. */
export function sessionById(db: Db, id: number): SessionRow {
  return findSessionById(db, id)!;
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
}

export function insertSession(tx: Tx, session: NewSession): SessionRow {
  ensureAgent(tx, session.agentId);
  tx.db.run(
    `INSERT INTO sessions (agent_id, session_key, kind, harness, project, title, created_at, updated_at)
     VALUES (:agentId, :sessionKey, :kind, :harness, :project, :title, :now, :now)`,
    { ...session, now: tx.now },
  );
  return findSession(tx.db, session.agentId, session.sessionKey)!;
}

/** Registers an external session, or touches it: what is said anew replaces what was known. */
export function registerSession(tx: Tx, session: Omit<NewSession, 'kind'>): SessionRow {
  const known = findSession(tx.db, session.agentId, session.sessionKey);
  if (known?.kind === 'managed') {
    throw new AppError(
      'forbidden',
      `${known.session_key} is a session of ours: it is not registered`,
    );
  }
  if (!known) return insertSession(tx, { ...session, kind: 'external' });
  tx.db.run(
    `UPDATE sessions SET harness = coalesce(:harness, harness), project = coalesce(:project, project),
            title = coalesce(:title, title), updated_at = :now
     WHERE id = :id`,
    {
      id: known.id,
      harness: session.harness,
      project: session.project,
      title: session.title,
      now: tx.now,
    },
  );
  return sessionById(tx.db, known.id);
}

export function lineageOf(db: Db, sessionId: number): LineageRow | undefined {
  return db.get('SELECT * FROM lineage WHERE session_id = :sessionId', { sessionId });
}

export function insertLineage(tx: Tx, child: SessionRow, parent: SessionRow, rule: string): void {
  const above = lineageOf(tx.db, parent.id);
  tx.db.run(
    `INSERT INTO lineage (session_id, parent_session_id, root_session_id, depth, rule, at)
     VALUES (:child, :parent, :root, :depth, :rule, :now)`,
    {
      child: child.id,
      parent: parent.id,
      root: above?.root_session_id ?? parent.id,
      depth: (above?.depth ?? 0) + 1,
      rule,
      now: tx.now,
    },
  );
}

/** Whether `ancestor` is `session` itself or stands above it. */
export function isAtOrAbove(db: Db, ancestor: number, session: number): boolean {
  return (
    db.get(
      `WITH RECURSIVE up(id) AS (
         SELECT :session
         UNION SELECT l.parent_session_id FROM lineage l JOIN up ON l.session_id = up.id)
       SELECT 1 AS yes FROM up WHERE id = :ancestor`,
      { ancestor, session },
    ) !== undefined
  );
}

export function sessionRecord(db: Db, row: SessionRow): SessionRecord {
  const edge = lineageOf(db, row.id);
  return {
    sessionKey: row.session_key,
    agentId: row.agent_id,
    kind: row.kind,
    harness: row.harness,
    project: row.project,
    title: row.title,
    parentSessionId: edge ? sessionById(db, edge.parent_session_id).session_key : null,
    rootSessionId: edge ? sessionById(db, edge.root_session_id).session_key : row.session_key,
    depth: edge?.depth ?? 0,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
