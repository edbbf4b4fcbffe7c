/** The context that a child inherits: put together by reads alone, and kept as it was given. */
import { hash as hashOf } from 'node:crypto';
import type { Config } from '../contract/config.ts';
import { limits } from '../contract/limits.ts';
import type { ContextBlock, ContextSources, InheritedContext } from '../contract/records.ts';
import { renderContextBlock, tailOf, type SaidTurn } from '../domain/context-block.ts';
import { redact } from '../domain/redact.ts';
import { lastCheckpoint } from './checkpoints.ts';
import type { Db } from './database.ts';
import { focalEntities } from './focal-entities.ts';
import { givenTurns, keptTurns } from './given-turns.ts';
import { knowledgeOf } from './knowledge.ts';
import { lineageOf } from './lineage.ts';
import { saidAfter } from './said.ts';
import { findSessionById, type SessionRow } from './sessions.ts';
import { numberedTurns } from './text-memo.ts';
import type { Tx } from './write-queue.ts';

export type ContextConfig = Config['memory']['pipelineV2']['subagents'];

/** What a child of this session would be given now; null where there is nothing, or it is switched off. */
export function contextBlockFor(
  db: Db,
  config: ContextConfig,
  parent: SessionRow,
): ContextBlock | null {
  return config.inheritContext ? db.reading(() => putTogether(db, config, parent)) : null;
}

function putTogether(db: Db, config: ContextConfig, parent: SessionRow): ContextBlock | null {
  const checkpoint = lastCheckpoint(db, parent.id);
  const knowledge = knowledgeOf(db, parent.agent_id);
  // Read once: names are looked for further back than words are told, and also in what was said before the checkpoint.
  const charsMax = Math.max(config.tailChars, knowledge.isEmpty ? 0 : limits.focalBlockCharsMax);
  const said = saidAfter(db, parent.id, checkpoint?.seq ?? 0, charsMax);
  const since = lastOf(
    said.filter(({ range }) => !range.isLate),
    config.tailChars,
  );
  const tail = tailOf(since.map(withoutSecrets), config.tailChars);
  const digest = checkpoint ? redact(checkpoint.digest) : null;
  const focal = focalEntities(knowledge, checkpoint, () => [
    { number: -(checkpoint?.id ?? 0), text: digest ?? '' },
    ...numberedTurns(parent.id, said),
  ]);
  const named = focal.slice(0, limits.contextEntitiesMax);
  const constraints = knowledge.constraintsOf(focal);
  const text = renderContextBlock({
    sessionKey: parent.session_key,
    title: parent.title === null ? null : redact(parent.title),
    checkpoint: digest,
    tail: tail?.lines ?? null,
    entities: named.map((thing) => thing.shown()),
    constraints,
  });
  if (text === null) return null;
  const sources: ContextSources = {
    parentSessionId: parent.session_key,
    checkpoint: checkpoint
      ? { seq: checkpoint.seq, trigger: checkpoint.trigger, at: checkpoint.created_at }
      : null,
    turns: tail === null ? [] : givenTurns(since.slice(-tail.turns)),
    entities: named.map(({ name }) => name),
    constraints: constraints.length,
  };
  return { text, hash: hashOf('sha256', text), sources };
}

/**
 * What a managed child is given is settled when it runs first: a run again, and a later message to its
 * session, have the same.
 */
export function inheritOnce(tx: Tx, config: ContextConfig, child: SessionRow): string | null {
  const given = inheritedBy(tx.db, child) ?? inherit(tx, config, child, { mayRead: anybody });
  return given?.text ?? null;
}

export interface Inheriting {
  /** Nothing is told of a session that whoever asks may not read. */
  mayRead: (giver: SessionRow) => boolean;
  /** The child's model knows nothing of before, whatever it was told. */
  isAnew?: boolean;
}

/**
 * Looks up for a child what it is to know of its parent, and keeps what it is given. `isRepeat`: it has it already, and
 * is not told again.
 */
export function inherit(
  tx: Tx,
  config: ContextConfig,
  child: SessionRow,
  { mayRead, isAnew = false }: Inheriting,
): (ContextBlock & { isRepeat: boolean }) | null {
  const found = config.inheritContext ? inheritable(tx.db, config, child, mayRead) : null;
  if (found === null) return null;
  const isRepeat = !isAnew && wasGiven(tx.db, child.id, found.block.hash);
  if (!isRepeat) keepGiven(tx, child, found);
  return { ...found.block, isRepeat };
}

function keepGiven(tx: Tx, child: SessionRow, { giverId, block }: Inheritable): void {
  tx.db.run(
    `INSERT INTO inherited_contexts
       (session_id, parent_session_id, given_at, hash, text, sources, context_epoch)
     SELECT id, :giverId, :now, :hash, :text, :sources, context_epoch
     FROM sessions WHERE id = :child
     ON CONFLICT (session_id, hash)
       DO UPDATE SET given_at = :now, context_epoch = excluded.context_epoch`,
    {
      child: child.id,
      giverId,
      now: tx.now,
      hash: block.hash,
      text: block.text,
      sources: JSON.stringify(block.sources),
    },
  );
}

/** A block, and whose words it is made of. */
interface Inheritable {
  giverId: number;
  block: ContextBlock;
}

function inheritable(
  db: Db,
  config: ContextConfig,
  child: SessionRow,
  mayRead: Inheriting['mayRead'],
): Inheritable | null {
  const edge = lineageOf(db, child.id);
  const parent = edge && findSessionById(db, edge.parent_session_id);
  // Scope is the agent, whatever an edge says.
  if (!edge || parent?.agent_id !== child.agent_id) return null;
  if (child.kind === 'external' && edge.rule === 'spawned') return passedOn(db, parent, mayRead);
  if (!mayRead(parent)) return null;
  const block = contextBlockFor(db, config, parent);
  return block && { giverId: parent.id, block };
}

/**
 * The program that an invocation runs reports a session of its own. That is told what its invocation was given, in the same
 * words: of the invocation's session it knows all there is, its task.
 */
function passedOn(db: Db, invoked: SessionRow, mayRead: Inheriting['mayRead']): Inheritable | null {
  const row = lastGiven(db, invoked.id);
  if (!row || !mayRead(giverOfRow(db, row, invoked))) return null;
  return { giverId: row.parent_session_id, block: blockOf(row) };
}

/** Whether a session's model has been told these very words, and its context has not begun anew since. */
function wasGiven(db: Db, sessionId: number, hash: string): boolean {
  const given = db.get(
    `SELECT 1 FROM inherited_contexts i JOIN sessions s ON s.id = i.session_id
     WHERE i.session_id = :sessionId AND i.hash = :hash AND i.context_epoch = s.context_epoch`,
    { sessionId, hash },
  );
  return given !== undefined;
}

/** What a session was given last, if whoever asks may read the session that it is from. */
export function inheritedBy(
  db: Db,
  session: SessionRow,
  mayRead: Inheriting['mayRead'] = anybody,
): InheritedContext | null {
  const row = lastGiven(db, session.id);
  if (!row || !mayRead(giverOfRow(db, row, session))) return null;
  return { ...blockOf(row), givenAt: row.given_at };
}

const lastGiven = (db: Db, sessionId: number): GivenRow | undefined =>
  db.get(
    `SELECT parent_session_id, given_at, hash, text, sources FROM inherited_contexts
     WHERE session_id = :sessionId ORDER BY given_at DESC, id DESC LIMIT 1`,
    { sessionId },
  );

/** Of one that was deleted nobody knows any more where it worked. */
const giverOfRow = (db: Db, { parent_session_id: id }: GivenRow, child: SessionRow): SessionRow =>
  findSessionById(db, id) ?? { ...child, project: null };

function blockOf({ text, hash, sources: kept }: GivenRow): ContextBlock {
  const sources = JSON.parse(kept) as ContextSources;
  return { text, hash, sources: { ...sources, turns: keptTurns(sources.turns) } };
}

/** Whose words these are that a session was given; undefined where it was not, or that one was deleted. */
export function giverOf(db: Db, sessionId: number, text: string): SessionRow | undefined {
  return db.get(
    `SELECT s.* FROM inherited_contexts i JOIN sessions s ON s.id = i.parent_session_id
     WHERE i.session_id = :sessionId AND i.hash = :hash`,
    { sessionId, hash: hashOf('sha256', text) },
  );
}

interface GivenRow {
  parent_session_id: number;
  given_at: string;
  hash: string;
  text: string;
  sources: string;
}

const anybody = () => true;

/** The turns that hold the last so many characters. */
function lastOf<Turn extends SaidTurn>(said: readonly Turn[], chars: number): Turn[] {
  let room = chars;
  let from = said.length;
  for (; from > 0 && room > 0; from -= 1) room -= said[from - 1]!.text.length;
  return said.slice(from);
}

/** Before anything is cut: a key of which half is cut off would not look like one. */
function withoutSecrets({ seq, role, text }: SaidTurn): SaidTurn {
  return { seq, role, text: redact(text) };
}
