/**
 * The outbox: what must reach the engine, sent in order per workflow. The table is the queue; what is
 * kept here in memory is only which workflows are being spoken to.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { AppError } from '../contract/errors.ts';
import type { Log } from '../contract/log.ts';
import { limits } from '../contract/limits.ts';
import { reach } from '../faults/reach.ts';
import type { Store, Tx, Write } from '../store/index.ts';
import type { StepSurroundings } from '../store/lifecycle/next-step.ts';
import { dueRows, markSent, postpone, type OutboxRow } from '../store/outbox.ts';
import { classify, engineWords } from './engine-errors.ts';
import { repair, reject, targetOf } from './repair.ts';
import { send } from './send.ts';
import { workflowSubject } from './workflow-subject.ts';

export interface RelayDeps {
  store: Store;
  client: Client;
  controlQueue: string;
  surroundings(): StepSurroundings;
  log: Log;
}

/** Workflows spoken to at once; the dev server has one shard and gains nothing from more. */
const CONCURRENT_MAX = 50;
const READ_MAX = 500;
/** One read of an index, for rows that are due by the clock alone. */
const LOOK_MS = 1000;
/**
 * Nobody waits for the engine: the answer to whoever asked, the order to a host, its claim and its spawn
 * come first on a machine that they share. What comes together in this time is sent together.
 */
const YIELD_MS = 10;
/** A receiver that is just being started appears within moments. */
const POSTPONE_MS = 300;
/** What fails for a reason that we do not know is tried ever more rarely, and never given up. */
const POSTPONE_MS_MAX = 60_000;
/** Between two looks whether the store can be written again. */
const UNWRITABLE_MS = 1000;

/** Works until the signal says so; throws when the engine cannot be reached. */
export async function runRelay(deps: RelayDeps, signal: AbortSignal): Promise<void> {
  const busy = new Set<string>();
  const bell = createBell();
  const stopListening = deps.store.changes.listen((change) => {
    if (change.kind === 'outbox') bell.ring();
  });
  signal.addEventListener('abort', bell.ring, { once: true });
  const trouble: Error[] = [];

  function begin(rows: OutboxRow[]): void {
    const workflowId = rows[0]!.workflow_id;
    busy.add(workflowId);
    deliver(deps, rows, signal)
      .catch((error: Error) => void trouble.push(error))
      .finally(() => {
        busy.delete(workflowId);
        bell.ring();
      });
  }

  // What was postponed before a restart has nobody left who would ring for it.
  const look = setInterval(bell.ring, LOOK_MS);
  try {
    while (!signal.aborted && trouble.length === 0) {
      const rows = dueRows(deps.store.db, deps.store.now(), READ_MAX);
      for (const group of byWorkflow(rows)) {
        if (busy.size >= CONCURRENT_MAX) break;
        if (!busy.has(group[0]!.workflow_id)) begin(group);
      }
      await bell.rung();
      await sleep(YIELD_MS, undefined, { signal }).catch(() => {});
    }
  } finally {
    clearInterval(look);
    stopListening();
    signal.removeEventListener('abort', bell.ring);
  }
  if (trouble[0]) throw trouble[0];
}

/** All that waits for one workflow goes as one message: a poke carries nothing, so one serves many. */
export async function deliver(
  deps: RelayDeps,
  rows: OutboxRow[],
  signal?: AbortSignal,
): Promise<void> {
  const { store } = deps;
  const write: Write = (work) => writeWhenPossible(deps, work, signal);
  const ids = rows.map((row) => row.id);
  const target = targetOf(store.db, rows);
  try {
    reach('outbox read');
    const isSent = await send(deps, rows);
    reach('sent');
    await write((tx) => {
      if (isSent) markSent(tx, ids, later(tx.now, limits.resendMs));
      // Whom they were for is gone; what they were to start is not.
      else repair(tx, rows, target);
    });
    reach('marked');
  } catch (error) {
    const kind = classify(error);
    if (kind === 'unreachable') throw error;
    const { workflow_id: workflowId } = rows[0]!;
    const why = engineWords(error);
    deps.log(`outbox ${workflowId}: ${kind}: ${why}`, workflowSubject(workflowId));
    if (kind === 'refused') {
      await write((tx) => reject(tx, rows, why));
      return;
    }
    const waitMs = pauseAfter(rows);
    const left = await write((tx) => {
      const kept = kind === 'not_found' ? repair(tx, rows, target) : ids;
      postpone(tx, kept, later(tx.now, waitMs));
      return kept;
    });
    if (left.length > 0) {
      // A hint alone: it must not keep a process up that has nothing else to do.
      setTimeout(() => store.changes.publish([{ kind: 'outbox' }]), waitMs).unref();
    }
  }
}

const later = (now: string, ms: number) => new Date(Date.parse(now) + ms).toISOString();

/** What the engine was told has been told: while the disk takes no writes, only the note of it is tried again. */
async function writeWhenPossible<T>(
  { store, log }: RelayDeps,
  work: (tx: Tx) => T,
  signal?: AbortSignal,
): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await store.write(work);
    } catch (error) {
      if (!(error instanceof AppError) || !unwritable.has(error.code) || signal?.aborted)
        throw error;
      if (tries === 0) log(`outbox: ${error.message}`);
      await sleep(UNWRITABLE_MS, undefined, signal ? { signal } : {}).catch(() => {});
    }
  }
}

const unwritable = new Set<string>(['disk_full', 'store_unwritable']);

function pauseAfter(rows: OutboxRow[]): number {
  const attempts = Math.min(10, ...rows.map((row) => row.attempts));
  return Math.min(POSTPONE_MS_MAX, POSTPONE_MS * 2 ** attempts);
}

function byWorkflow(rows: OutboxRow[]): OutboxRow[][] {
  const groups = new Map<string, OutboxRow[]>();
  for (const row of rows) {
    const group = groups.get(row.workflow_id);
    if (group) group.push(row);
    else groups.set(row.workflow_id, [row]);
  }
  return [...groups.values()];
}

/** Rung before anybody waits, it rings at once. */
function createBell() {
  let isRung = false;
  let wake: (() => void) | null = null;
  return {
    ring: () => {
      isRung = true;
      wake?.();
    },
    async rung() {
      if (!isRung) await new Promise<void>((resolve) => (wake = resolve));
      isRung = false;
      wake = null;
    },
  };
}
