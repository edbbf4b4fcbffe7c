/** Checkpoints of a session: what it was about up to a turn. Made of what is in the store, by no model. */
import { limits } from '../contract/limits.ts';
import type { CheckpointTrigger } from '../contract/words.ts';
import { digestOf } from '../domain/digest.ts';
import type { Db } from './database.ts';
import { focalEntities } from './focal-entities.ts';
import { knowledgeOf } from './knowledge.ts';
import { lastAnswer, lastPrompts, saidAfter } from './said.ts';
import { sessionById, type SessionRow } from './sessions.ts';
import { numberedTurns } from './text-memo.ts';
import type { Tx } from './write-queue.ts';

export interface CheckpointRow {
  id: number;
  seq: number;
  trigger: CheckpointTrigger;
  /** Its beginning: what a block has room for. */
  digest: string;
  summary: string | null;
  focal_entity_ids: string;
  created_at: string;
}

/**
 * A summary that somebody has written stands as it is; else a digest is made of the last turns. `upTo`: the last turn that
 * is summed up, where the summary comes late: what was said since is not in it.
 */
export function checkpointAt(
  tx: Tx,
  session: Pick<SessionRow, 'id'>,
  trigger: CheckpointTrigger,
  summary?: string,
  upTo = Infinity,
): CheckpointRow | undefined {
  const now = sessionById(tx.db, session.id);
  const before = lastCheckpoint(tx.db, now.id);
  // Nothing was said since: another one would say the same, and hide what it was made for.
  if (summary === undefined && before && !hasSaidSince(tx.db, now.id, before)) return before;
  // Nor is what the last one knows hidden by a summary that is older; least of all its own summary.
  const isOld = before !== undefined && upTo < before.seq;
  if (isOld && hasSummaryOf(tx.db, now.id, before, upTo)) return before;
  const known = summary ?? before?.summary ?? null;
  const digest = (isOld ? null : summary) ?? madeDigest(tx.db, now, known);
  if (digest === null) return undefined;
  const focal = focalEntities(knowledgeOf(tx.db, now.agent_id), before, () => [
    { number: 0, text: digest.slice(0, 2 * limits.contextCheckpointCharsMax) },
    ...numberedTurns(
      now.id,
      saidAfter(tx.db, now.id, before?.seq ?? 0, limits.focalCheckpointCharsMax),
    ),
  ]);
  tx.db.run(
    `INSERT INTO session_checkpoints (agent_id, session_id, seq, trigger, digest, summary,
       prompt_count, focal_entity_ids, created_at)
     VALUES (:agentId, :sessionId, :seq, :trigger, :digest, :summary, :prompts, :focal, :now)`,
    {
      agentId: now.agent_id,
      sessionId: now.id,
      seq: Math.max(Math.min(upTo, now.last_seq), before?.seq ?? 0),
      trigger,
      digest,
      summary: known === null ? null : known.slice(0, 2 * limits.digestSummaryCharsMax),
      prompts: now.prompt_count,
      focal: JSON.stringify(focal.map(({ id }) => id)),
      now: tx.now,
    },
  );
  return lastCheckpoint(tx.db, now.id);
}

/** Called for each new prompt, or for some that are told together: every so many make a checkpoint. */
export function countPrompt(tx: Tx, session: Pick<SessionRow, 'id'>, prompts = 1): void {
  const { id } = session;
  const before = tx.db.get<Pick<SessionRow, 'prompt_count'>>(
    'SELECT prompt_count FROM sessions WHERE id = :id',
    { id },
  )!;
  const count = before.prompt_count + prompts;
  tx.db.run('UPDATE sessions SET prompt_count = :count WHERE id = :id', { id, count });
  const isDue = count % limits.checkpointEveryPrompts < prompts;
  if (isDue) checkpointAt(tx, session, 'prompts');
}

export function lastCheckpoint(db: Db, sessionId: number): CheckpointRow | undefined {
  return db.get(
    `SELECT id, seq, trigger, summary, focal_entity_ids, created_at,
            iif(octet_length(digest) <= :charsMax, digest, substr(digest, 1, :charsMax)) AS digest
     FROM session_checkpoints WHERE session_id = :sessionId ORDER BY seq DESC, id DESC LIMIT 1`,
    { sessionId, charsMax: 2 * limits.contextCheckpointCharsMax },
  );
}

/** By when it came: what is told late, of the time before, the checkpoint did not know either. */
const hasSaidSince = (db: Db, sessionId: number, { seq }: CheckpointRow) =>
  saidAfter(db, sessionId, seq, 1).length > 0;

/**
 * Whether the summary that it has, its own or that of one before, covers this turn. One that came late itself stands
 * where the checkpoint before it does, which is beyond what it covers: those that come late come in their order.
 */
function hasSummaryOf(
  db: Db,
  sessionId: number,
  { summary }: CheckpointRow,
  turn: number,
): boolean {
  const first = db.get<{ seq: number; came_late: number }>(
    `SELECT seq, EXISTS (SELECT 1 FROM session_checkpoints b
                         WHERE b.session_id = c.session_id AND b.seq = c.seq AND b.id < c.id) AS came_late
     FROM session_checkpoints c WHERE session_id = :sessionId AND summary = :summary ORDER BY id LIMIT 1`,
    { sessionId, summary },
  );
  return first !== undefined && first.came_late === 0 && first.seq >= turn;
}

function madeDigest(db: Db, session: SessionRow, summary: string | null): string | null {
  const prompts = lastPrompts(db, session.id, {
    after: Math.max(0, session.last_seq - limits.digestTurnsMax),
    count: limits.checkpointEveryPrompts,
    // Twice as far as its first line is looked for: a secret that begins there is whole.
    charsMax: 2 * limits.contextCheckpointCharsMax,
  });
  return digestOf({
    summary,
    promptCount: session.prompt_count,
    prompts,
    lastAnswer: lastAnswer(db, session.id),
  });
}
