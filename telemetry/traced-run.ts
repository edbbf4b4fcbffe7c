/** The span of a process, written by the host that owns it; what the process asks for joins it. */
import type { Outcome, RunSpec } from '../contract/run.ts';
import { formatTraceparent, parseTraceparent, type RecordSpan } from '../contract/trace.ts';
import { runSpan } from '../domain/span-ids.ts';

type RunProgram<Io> = (spec: RunSpec, io: Io) => Promise<Outcome>;

/** Without a recorder the process joins the lease: a host that sends nothing leaves no gap. */
export function tracedRun<Io>(run: RunProgram<Io>, record: RecordSpan | null): RunProgram<Io> {
  return async (spec, io) => {
    const lease = parseTraceparent(spec.traceparent);
    if (record === null || lease === null) return run(spec, io);
    const context = runSpan(lease, spec.invocationId, spec.runNo);
    const startMs = Date.now();
    const outcome = await run({ ...spec, traceparent: formatTraceparent(context) }, io);
    record({
      name: 'run',
      kind: 'internal',
      context,
      parentSpanId: lease.spanId,
      startMs,
      endMs: Date.now(),
      attributes: {
        'offshoot.invocation': spec.invocationId,
        'offshoot.run': spec.runNo,
        'offshoot.turn': spec.turn,
        'offshoot.runner': spec.runner.id,
        'offshoot.outcome': outcome.kind,
        ...(outcome.exitCode !== null && { 'process.exit.code': outcome.exitCode }),
      },
      errorCode: outcome.kind === 'succeeded' ? null : (outcome.errorCode ?? outcome.kind),
    });
    return outcome;
  };
}
