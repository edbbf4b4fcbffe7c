/** A run begins with a claim: the next run number, for one boot of one host. */
import { AppError } from '../../contract/errors.ts';
import { limits } from '../../contract/limits.ts';
import type { CommandRunner } from '../../contract/run.ts';
import type { ClaimRequest } from '../../contract/store-api.ts';
import { isFinal, type Status } from '../../contract/words.ts';
import { renderCallbackTurn } from '../../domain/envelope.ts';
import { reach } from '../../faults/reach.ts';
import { envelopeOf } from '../callbacks.ts';
import { inheritOnce, type ContextConfig } from '../context-block.ts';
import { admitNext, releaseSlot } from '../admission.ts';
import { findHost } from '../hosts.ts';
import { findInvocation, runnerOf, type InvocationRow } from '../invocations.ts';
import { handCallbacks, waitingCallbacks } from '../mailbox.ts';
import { queuePoke } from '../outbox.ts';
import { sessionById } from '../sessions.ts';
import { appendTurn } from '../turns.ts';
import { wordsOf } from '../words.ts';
import type { Tx } from '../write-queue.ts';
import { completed, isUnfinished, settle, type Ending } from './settle.ts';

export interface RunRow {
  invocation_id: string;
  run_no: number;
  turn: number;
  input: 'task' | 'callbacks';
  host_id: string;
  boot_id: string;
  state: 'live' | 'ended' | 'lost';
  claimed_at: string;
  ended_at: string | null;
}

export type Claim =
  | {
      kind: 'run';
      row: InvocationRow;
      runNo: number;
      turn: number;
      prompt: string;
      inheritedContext: string | null;
    }
  | { kind: 'attach'; runNo: number }
  | { kind: 'nothing'; status: Status | null; isHere: boolean };

/** What lies beside the store: nothing is run without the values it was given. */
export interface Surroundings {
  hasEnv: boolean;
  context: ContextConfig;
}

export function claim(tx: Tx, request: ClaimRequest, found: Surroundings): Claim {
  requireBoot(tx, request);
  const row = findInvocation(tx.db, request.invocationId);
  if (!row || isFinal(row.status)) return nothing(tx, request);
  const live = liveRun(tx, row.id);
  if (live) {
    const isMine = live.host_id === request.hostId && live.boot_id === request.bootId;
    return isMine ? { kind: 'attach', runNo: live.run_no } : nothing(tx, request);
  }
  // The slot is given in the store, before a claim; who has none is not to run.
  if (row.host_id !== request.hostId || row.cancel_requested_at !== null) {
    return nothing(tx, request);
  }
  const counted = counts(tx, row);
  if (counted.hasRun && !isUnfinished(tx, row).unread) return standDown(tx, row, request);
  if (row.has_env === 1 && !found.hasEnv) {
    settle(tx, row.id, withoutEnv);
    return nothing(tx, request);
  }
  return begin(tx, row, request, counted, found.context);
}

/** `isHere` as a workflow would be told: another lease on this host would come to the same. */
function nothing(tx: Tx, { invocationId, hostId }: ClaimRequest): Claim {
  const row = findInvocation(tx.db, invocationId);
  if (!row || isFinal(row.status)) {
    return { kind: 'nothing', status: row?.status ?? null, isHere: false };
  }
  const place = liveRun(tx, invocationId)?.host_id ?? row.host_id;
  return { kind: 'nothing', status: row.status, isHere: place === hostId };
}

const withoutEnv: Ending = {
  status: 'failed',
  error: 'the values of its context.env are missing in the home',
  errorCode: 'env_missing',
  errorHint:
    'They are in no backup, and a home that was damaged may have lost them. Ask again with context.env.',
};

/** What it was to read was acknowledged by somebody in the meantime: a turn would have nothing in it. */
function standDown(tx: Tx, row: InvocationRow, request: ClaimRequest): Claim {
  releaseSlot(tx, row.id);
  if (!isUnfinished(tx, row).open) settle(tx, row.id, completed);
  admitNext(tx);
  return nothing(tx, request);
}

function begin(
  tx: Tx,
  row: InvocationRow,
  request: ClaimRequest,
  { runNo, turn, hasRun }: ReturnType<typeof counts>,
  context: ContextConfig,
): Claim {
  const inheritedContext = inheritOnce(tx, context, sessionById(tx.db, row.session_id));
  const input = hasRun ? readCallbacks(tx, row) : readTask(tx, row);
  tx.db.run(
    `INSERT INTO runs (invocation_id, run_no, turn, input, host_id, boot_id, state, claimed_at)
     VALUES (:id, :runNo, :turn, :input, :hostId, :bootId, 'live', :now)`,
    {
      id: row.id,
      runNo,
      turn,
      input: hasRun ? 'callbacks' : 'task',
      hostId: request.hostId,
      bootId: request.bootId,
      now: tx.now,
    },
  );
  tx.db.run(
    `UPDATE subagent_sessions SET status = 'running', started_at = coalesce(started_at, :now) WHERE id = :id`,
    { id: row.id, now: tx.now },
  );
  appendTurn(tx, {
    sessionId: row.session_id,
    role: 'mark',
    text: 'running',
    src: `run:${row.id}:${runNo}:begin`,
    invocationId: row.id,
    runNo,
  });
  // Its workflow, which has been told otherwise, would show that for as long as this lasts.
  if (row.engine_state === 'open') queuePoke(tx, row.id, SHOWN_AFTER_MS);
  tx.note({ kind: 'run began', invocationId: row.id, runNo, hostId: request.hostId });
  return { kind: 'run', row, runNo, turn, prompt: input, inheritedContext };
}

/** What is over by then is told nothing: the steps of a short run are not worth one more. */
const SHOWN_AFTER_MS = 500;

/** `turn` counts over the session what was brought to an end, so a run again is the same turn. */
function counts(tx: Tx, row: InvocationRow) {
  const own = tx.db.get<{ last: number; ended: number }>(
    `SELECT coalesce(max(run_no), 0) AS last, coalesce(sum(state = 'ended'), 0) AS ended
     FROM runs WHERE invocation_id = :id`,
    { id: row.id },
  )!;
  const before = tx.db.get<{ n: number }>(
    `SELECT count(*) AS n FROM runs r JOIN subagent_sessions s ON s.id = r.invocation_id
     WHERE s.session_id = :sessionId AND r.state = 'ended'`,
    { sessionId: row.session_id },
  )!;
  return { runNo: own.last + 1, turn: before.n + 1, hasRun: own.ended > 0 };
}

function readTask(tx: Tx, row: InvocationRow): string {
  const { prompt } = wordsOf(tx.db, row.id)!;
  appendTurn(tx, {
    sessionId: row.session_id,
    role: 'user',
    text: prompt,
    src: `prompt:${row.id}`,
    invocationId: row.id,
  });
  return prompt;
}

/** One transcript turn per callback, however often a process is started for it. */
function readCallbacks(tx: Tx, row: InvocationRow): string {
  const waiting = waitingCallbacks(tx.db, row.session_id, limits.callbacksPerTurnMax);
  const envelopes = whatFits(
    waiting.map((callback) => envelopeOf(tx.db, callback)),
    runnerOf(row),
  );
  const callbacks = waiting.slice(0, envelopes.length);
  for (const [index, callback] of callbacks.entries()) {
    appendTurn(tx, {
      sessionId: row.session_id,
      role: 'callback',
      text: envelopes[index]!,
      src: `callback:${callback.id}`,
      invocationId: row.id,
    });
  }
  handCallbacks(
    tx,
    callbacks.map((callback) => callback.id),
    row.id,
  );
  reach('callbacks handed');
  return renderCallbackTurn(envelopes);
}

/** What does not fit into an argument is read in the next turn. One always fits: its body is bounded. */
function whatFits(envelopes: string[], { promptVia }: CommandRunner): string[] {
  if (promptVia !== 'arg') return envelopes;
  let count = 1;
  const bytes = (n: number) => Buffer.byteLength(renderCallbackTurn(envelopes.slice(0, n)));
  while (count < envelopes.length && bytes(count + 1) <= limits.argvPromptBytesMax) count += 1;
  return envelopes.slice(0, count);
}

export function liveRun(tx: Pick<Tx, 'db'>, invocationId: string): RunRow | undefined {
  return tx.db.get(`SELECT * FROM runs WHERE invocation_id = :invocationId AND state = 'live'`, {
    invocationId,
  });
}

/** Only the present boot of a known host may speak for it. */
export function requireBoot(tx: Tx, from: { hostId: string; bootId: string }): void {
  if (findHost(tx.db, from.hostId)?.boot_id === from.bootId) return;
  throw new AppError('stale_claim', `host ${from.hostId} is not known under this boot`, {
    hint: 'The host says hello again, and sweeps what it no longer holds.',
  });
}
