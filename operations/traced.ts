/** The span of a request that starts work, from its arrival to its answer, where traces are on. */
import { randomBytes } from 'node:crypto';
import { AppError } from '../contract/errors.ts';
import type { SubAgentRecord } from '../contract/records.ts';
import { formatTraceparent, parseTraceparent, type TraceContext } from '../contract/trace.ts';
import { runSpan } from '../domain/span-ids.ts';
import { findInvocation } from '../store/invocations.ts';
import { liveRun } from '../store/lifecycle/claim.ts';
import type { Caller } from './caller.ts';
import type { Deps } from './deps.ts';

type Handler<I> = (deps: Deps, caller: Caller, input: I) => Promise<SubAgentRecord>;

/** What it accepts is kept with `caller.trace`, which here becomes the request's own span, or null. */
export function traced<I>(name: 'runSubagent' | 'sendToSubagent', handle: Handler<I>): Handler<I> {
  return async (deps, caller, input) => {
    const { recordSpan } = deps;
    if (recordSpan === null) return handle(deps, { ...caller, trace: null }, input);
    const parent = caller.trace ?? runOf(deps, caller);
    const context: TraceContext = {
      traceId: parent?.traceId ?? randomBytes(16).toString('hex'),
      spanId: randomBytes(8).toString('hex'),
      sampled: parent?.sampled ?? true,
    };
    const startMs = Date.now();
    const end = (attributes: Record<string, string>, errorCode: string | null) =>
      recordSpan({
        ...{ name, kind: 'server', context, parentSpanId: parent?.spanId ?? null },
        ...{ startMs, endMs: Date.now(), attributes, errorCode },
      });
    try {
      const record = await handle(deps, { ...caller, trace: context }, input);
      const { id, executionMode } = record;
      end({ 'offshoot.invocation': id, 'offshoot.mode': executionMode }, null);
      return record;
    } catch (error) {
      end({}, error instanceof AppError ? error.code : 'internal');
      throw error;
    }
  };
}

/** As the row keeps it. */
export function keptTrace({ trace }: Caller): string | null {
  return trace === null ? null : formatTraceparent(trace);
}

/** An agent that says nothing of a span, such as one that calls with curl, asks within its own run. */
function runOf({ store }: Deps, { claims }: Caller): TraceContext | null {
  if (claims.role !== 'child') return null;
  const within = parseTraceparent(findInvocation(store.db, claims.invocationId)?.traceparent);
  const run = liveRun(store, claims.invocationId);
  return within && run ? runSpan(within, run.invocation_id, run.run_no) : null;
}
