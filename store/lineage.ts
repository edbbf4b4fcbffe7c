/** The edges child → parent. Each says by which rule it was found; all of them stay within one agent. */
import type { LineageRule } from '../contract/words.ts';
import {
  givesWay,
  parentGuesses,
  subagentKey,
  type LineageHints,
  type ParentGuess,
} from '../domain/lineage.ts';
import type { Db } from './database.ts';
import { findSession, sessionById, type SessionRow } from './sessions.ts';
import type { Tx } from './write-queue.ts';

export interface LineageRow {
  session_id: number;
  parent_session_id: number;
  root_session_id: number;
  depth: number;
  rule: LineageRule;
  at: string;
}

export function lineageOf(db: Db, sessionId: number): LineageRow | undefined {
  return db.get('SELECT * FROM lineage WHERE session_id = :sessionId', { sessionId });
}

export interface NamedLineage {
  parentSessionId: string | null;
  rootSessionId: string;
  rule: LineageRule | null;
  depth: number;
}

/** Where a session stands, in session keys; one below nobody is its own root. */
export function namedLineage(db: Db, session: SessionRow): NamedLineage {
  const edge = lineageOf(db, session.id);
  return {
    parentSessionId: edge ? sessionById(db, edge.parent_session_id).session_key : null,
    rootSessionId: edge ? sessionById(db, edge.root_session_id).session_key : session.session_key,
    rule: edge?.rule ?? null,
    depth: edge?.depth ?? 0,
  };
}

export interface LinkOptions {
  /** When the child was heard of: a parent is guessed as of then. */
  at: string;
  /** A session idle for longer is not guessed to be a parent; null: any may be. */
  parentIdleHours: () => number | null;
  /** Whether whoever reports it may have this one for its parent: a child reads what its parent knows. */
  mayBeParent: (parent: SessionRow) => boolean;
}

/**
 * Finds and records the parent of a session that a program reports. Safe to call with every event: an
 * edge stays as it is, but for what gives way to what is said outright.
 */
export function linkSession(
  tx: Tx,
  session: SessionRow,
  hints: LineageHints,
  options: LinkOptions,
): LineageRow | undefined {
  if (hints.harnessAgentId) keepAgentId(tx, session, hints.harnessAgentId);
  const known = lineageOf(tx.db, session.id);
  if (session.kind === 'managed') return known;
  const facts = {
    sessionKey: session.session_key,
    harness: session.harness,
    project: session.project,
  };
  for (const guess of parentGuesses(facts, hints)) {
    if (known && !givesWay(known.rule, guess.rule)) return known;
    const parent = lookFor(tx, session, guess, options);
    // Whoever stands below a session cannot be above it.
    if (parent === undefined || isAtOrAbove(tx.db, session.id, parent.id)) continue;
    if (!options.mayBeParent(parent)) continue;
    insertLineage(tx, session, parent, guess.rule);
    if (session.project === null) takeProject(tx, session, parent);
    return lineageOf(tx.db, session.id);
  }
  return known;
}

/** A child that says of no project works in its parent's: whoever may touch only that goes on with it. */
function takeProject(tx: Tx, { id }: SessionRow, { project }: SessionRow): void {
  tx.db.run('UPDATE sessions SET project = :project WHERE id = :id', { id, project });
}

/** A new edge, or another one in its place; whatever is below the child moves with it. */
export function insertLineage(
  tx: Tx,
  child: SessionRow,
  parent: SessionRow,
  rule: LineageRule,
): void {
  const above = lineageOf(tx.db, parent.id);
  const before = lineageOf(tx.db, child.id)?.depth ?? 0;
  const root = above?.root_session_id ?? parent.id;
  const depth = (above?.depth ?? 0) + 1;
  tx.db.run(
    `INSERT INTO lineage (session_id, parent_session_id, root_session_id, depth, rule, at)
     VALUES (:child, :parent, :root, :depth, :rule, :now)
     ON CONFLICT (session_id) DO UPDATE SET parent_session_id = :parent, root_session_id = :root,
       depth = :depth, rule = :rule, at = :now`,
    { child: child.id, parent: parent.id, root, depth, rule, now: tx.now },
  );
  tx.db.run(
    `WITH RECURSIVE below(id) AS (
       SELECT session_id FROM lineage WHERE parent_session_id = :child
       UNION SELECT l.session_id FROM lineage l JOIN below ON l.parent_session_id = below.id)
     UPDATE lineage SET root_session_id = :root, depth = depth + :moved
     WHERE session_id IN (SELECT id FROM below)`,
    { child: child.id, root, moved: depth - before },
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

export interface Report {
  agentId: string;
  harness: string;
  sessionKey: string;
  harnessAgentId: string | null;
  /** `subagent-start` and `subagent-stop` name the session that asked, and the sub-agent beside it. */
  isAboutSubagent: boolean;
}

/**
 * Which session an event is about. A program that gives its sub-agents no sessions of their own names
 * the root's session and the sub-agent: then the two together are the sub-agent's session.
 */
export function reportedSession(
  db: Db,
  { agentId, harness, sessionKey, harnessAgentId, isAboutSubagent }: Report,
): { sessionKey: string; rootSessionKey: string | null } {
  const own = { sessionKey, rootSessionKey: null };
  if (harnessAgentId === null || harnessAgentId === sessionKey) return own;
  const named = {
    sessionKey: subagentKey(harness, sessionKey, harnessAgentId),
    rootSessionKey: sessionKey,
  };
  if (isAboutSubagent) return named;
  // A key that is new, or that this sub-agent brought itself, is its own.
  const known = findSession(db, agentId, sessionKey);
  return known === undefined || known.harness_agent_id === harnessAgentId ? own : named;
}

function lookFor(
  tx: Tx,
  session: SessionRow,
  guess: ParentGuess,
  { at, parentIdleHours }: LinkOptions,
): SessionRow | undefined {
  if (guess.rule !== 'recency') return findSession(tx.db, session.agent_id, guess.sessionKey);
  const hours = parentIdleHours();
  const oldest = hours === null ? '' : hoursBefore(at, hours);
  return tx.db.get(
    `SELECT s.* FROM sessions s
     WHERE s.agent_id = :agentId AND s.project = :project AND s.harness = :harness
       AND s.active_hour >= substr(:oldest, 1, 13) AND s.updated_at >= :oldest
       AND s.created_at <= :at AND s.id <> :self AND s.ended_at IS NULL
       AND s.harness_agent_id IS NULL
       AND NOT EXISTS (SELECT 1 FROM lineage l WHERE l.session_id = s.id)
     ORDER BY s.active_hour DESC, s.updated_at DESC, s.id DESC LIMIT 1`,
    {
      agentId: session.agent_id,
      project: guess.project,
      harness: guess.harness,
      self: session.id,
      at,
      oldest,
    },
  );
}

function keepAgentId(tx: Tx, session: SessionRow, harnessAgentId: string): void {
  if (session.harness_agent_id === harnessAgentId) return;
  tx.db.run(
    'UPDATE sessions SET harness_agent_id = :harnessAgentId WHERE id = :id AND harness_agent_id IS NULL',
    { id: session.id, harnessAgentId },
  );
}

function hoursBefore(at: string, hours: number): string {
  return new Date(Date.parse(at) - hours * 3_600_000).toISOString();
}
