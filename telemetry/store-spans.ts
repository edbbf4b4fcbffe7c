/** Spans of what the store has seen begin and end: an invocation's whole life, and each of its runs. */
import { parseTraceparent, type RecordSpan } from '../contract/trace.ts';
import { invocationSpan, leaseSpan } from '../domain/span-ids.ts';
import { subAgentWorkflowId } from '../contract/names.ts';
import { findInvocation, type InvocationRow } from '../store/invocations.ts';
import type { Change, Db } from '../store/index.ts';

/** Told after the commit, with times from the rows. What a crash keeps from being told is not made up for. */
export function createStoreSpans(db: Db, record: RecordSpan): (change: Change) => void {
  return (change) => {
    if (change.kind !== 'final' && change.kind !== 'run over') return;
    const row = findInvocation(db, change.invocationId);
    if (!row?.traceparent) return;
    if (change.kind === 'final') recordInvocation(row, record);
    else recordLease(db, row, change.runNo, record);
  };
}

/** Prompt, answer and error text stay in the store: a collector is read by others. */
function recordInvocation(row: InvocationRow, record: RecordSpan): void {
  const within = parseTraceparent(row.traceparent);
  if (!within || row.completed_at === null) return;
  record({
    name: 'subAgent',
    kind: 'internal',
    context: invocationSpan(within, row.id),
    parentSpanId: within.spanId,
    startMs: Date.parse(row.created_at),
    endMs: Date.parse(row.completed_at),
    attributes: {
      'offshoot.invocation': row.id,
      'offshoot.session': row.session_key,
      'offshoot.runner': row.runner_id,
      'offshoot.mode': row.execution_mode,
      'offshoot.status': row.status,
      'offshoot.depth': row.depth,
      'offshoot.workflow': subAgentWorkflowId(row.id),
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': row.runner_id,
      'gen_ai.conversation.id': row.session_key,
      ...(row.token_input !== null && { 'gen_ai.usage.input_tokens': row.token_input }),
      ...(row.token_output !== null && { 'gen_ai.usage.output_tokens': row.token_output }),
    },
    errorCode: row.status === 'completed' ? null : (row.error_code ?? row.status),
  });
}

function recordLease(db: Db, row: InvocationRow, runNo: number, record: RecordSpan): void {
  const within = parseTraceparent(row.traceparent);
  const run = db.get<{ host_id: string; state: string; claimed_at: string; ended_at: string }>(
    `SELECT host_id, state, claimed_at, ended_at FROM runs
     WHERE invocation_id = :id AND run_no = :runNo`,
    { id: row.id, runNo },
  );
  if (!within || !run) return;
  record({
    name: 'runAgent',
    kind: 'internal',
    context: leaseSpan(within, row.id, runNo),
    parentSpanId: invocationSpan(within, row.id).spanId,
    startMs: Date.parse(run.claimed_at),
    endMs: Date.parse(run.ended_at),
    attributes: {
      'offshoot.invocation': row.id,
      'offshoot.run': runNo,
      'offshoot.host': run.host_id,
      'offshoot.run.state': run.state,
    },
    errorCode: run.state === 'lost' ? 'lost' : null,
  });
}
