/** Reading, awaiting, cancelling and deleting invocations. */
import type { OperationOutput, ParsedInput } from '../contract/operations.ts';
import type { Deleted, SubAgentRecord } from '../contract/records.ts';
import { AppError } from '../contract/errors.ts';
import { hints } from '../contract/hints.ts';
import { isFinal } from '../contract/words.ts';
import { reach } from '../faults/reach.ts';
import { cancelTree } from '../store/lifecycle/cancel.ts';
import { removeInvocation } from '../store/lifecycle/remove.ts';
import { findInvocation, isInSubtree, type InvocationRow } from '../store/invocations.ts';
import { listInvocations } from '../store/list-invocations.ts';
import { listTurns } from '../store/turns.ts';
import { beyondBytes, wordsOfAll } from '../store/words.ts';
import type { Caller } from './caller.ts';
import type { Deps } from './deps.ts';
import { askingInvocation, requireBelow, requireReadable, waitingInvocation } from './gate.ts';
import { ownAgent, requireReach, scopeOf } from './scope.ts';
import { recordOf } from './record.ts';
import { standStill, untilEnded } from './until-ended.ts';

export async function getSubagent(
  deps: Deps,
  caller: Caller,
  input: ParsedInput<'getSubagent'>,
): Promise<SubAgentRecord> {
  return recordOf(deps, requireReadable(deps, caller, input.id));
}

export async function listSubagents(
  deps: Deps,
  caller: Caller,
  input: ParsedInput<'listSubagents'>,
): Promise<OperationOutput<'listSubagents'>> {
  const { cursor, limit, ...filter } = input;
  const { rows, hasMore } = listInvocations(deps.store.db, {
    ...filter,
    agentId: ownAgent(caller, filter.agentId),
    project: scopeOf(caller)?.project ?? null,
    before: cursor === undefined ? null : readCursor(cursor),
    limit,
    below: askingInvocation(deps, caller)?.id ?? null,
  });
  const words = wordsOfAll(
    deps.store.db,
    rows.map(({ id }) => id),
  );
  return {
    items: rows.map((row) => recordOf(deps, row, words.get(row.id))),
    nextCursor: hasMore ? writeCursor(rows.at(-1)!) : null,
  };
}

const writeCursor = (row: InvocationRow) => Buffer.from(`o${row.ordinal}`).toString('base64url');

function readCursor(cursor: string): number {
  const ordinal = /^o(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString())?.[1];
  if (ordinal === undefined) {
    throw new AppError('bad_request', 'cursor: is not one that a list has given', {
      hint: hints.nextPage.http,
    });
  }
  return Number(ordinal);
}

export async function waitSubagents(
  deps: Deps,
  caller: Caller,
  input: ParsedInput<'waitSubagents'>,
): Promise<OperationOutput<'waitSubagents'>> {
  const ids = [...new Set(input.ids)];
  const before = ids.map((id) => requireReadable(deps, caller, id));
  const waiting = { ids, until: input.until, waitSeconds: input.waitSeconds ?? null };
  const asking = waitingInvocation(deps, caller);
  if (asking) requireNoCycle(deps, asking, ids);
  if (asking && !isFinal(asking.status)) await standStill(deps, caller, asking, waiting);
  else await untilEnded(deps, caller, waiting);
  return waitAnswer(deps, before);
}

/** As much as one answer may hold. What was deleted meanwhile is told as it was; its words are gone. */
function waitAnswer(deps: Deps, before: InvocationRow[]): OperationOutput<'waitSubagents'> {
  const { db } = deps.store;
  const more = beyondBytes(
    db,
    before.map((row) => row.id),
  );
  const records = before
    .filter((row) => !more.includes(row.id))
    .map((row) => recordOf(deps, findInvocation(db, row.id) ?? row));
  return {
    done: records.filter((record) => isFinal(record.status)),
    open: records.filter((record) => !isFinal(record.status)),
    more,
  };
}

/** What waits for itself, or for what stands above it, would wait for ever. */
function requireNoCycle(deps: Deps, asking: InvocationRow, ids: string[]): void {
  const above = ids.find((id) => isInSubtree(deps.store.db, id, asking.id));
  if (above === undefined) return;
  throw new AppError('cycle', `${asking.id} cannot wait for ${above}, which has to wait for it`, {
    hint: 'Wait for what you have asked for. Your own answer is your last word.',
  });
}

/** What has ended stays as it was, and what it had left running ends: two may press the button at once. */
export async function cancelSubagent(
  deps: Deps,
  caller: Caller,
  input: ParsedInput<'cancelSubagent'>,
): Promise<SubAgentRecord> {
  const row = requireBelow(deps, caller, input.id);
  await deps.store.write((tx) =>
    cancelTree(tx, row.id, { code: 'cancelled', reason: input.reason || 'cancelled on request' }),
  );
  reach('cancel flagged');
  return recordOf(deps, findInvocation(deps.store.db, row.id) ?? row);
}

export async function deleteSubagent(
  deps: Deps,
  caller: Caller,
  input: ParsedInput<'deleteSubagent'>,
): Promise<Deleted> {
  requireBelow(deps, caller, input.id);
  return deps.store.write((tx) => removeInvocation(tx, input.id, requireReach(caller, input.id)));
}

export async function getTranscript(
  deps: Deps,
  caller: Caller,
  input: ParsedInput<'getTranscript'>,
): Promise<OperationOutput<'getTranscript'>> {
  const row = requireReadable(deps, caller, input.id);
  const { turns, hasMore } = listTurns(deps.store.db, {
    sessionId: row.session_id,
    after: input.after,
    limit: input.limit,
  });
  return { turns, nextAfter: hasMore ? turns.at(-1)!.seq : null };
}

export async function getSpecHistory(
  deps: Deps,
  caller: Caller,
  input: ParsedInput<'getSpecHistory'>,
): Promise<OperationOutput<'getSpecHistory'>> {
  return listSubagents(deps, caller, input);
}
