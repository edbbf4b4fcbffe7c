/**
 * Ids of spans follow from what they are about. So nothing but the request's context has to be kept,
 * every process knows the id of a span that another one writes, and what is written twice is the same.
 */
import { createHash } from 'node:crypto';
import type { TraceContext } from '../contract/trace.ts';

/** The whole life of an invocation, in the engine a workflow. */
export const invocationSpan = (within: TraceContext, invocationId: string) =>
  spanOf(within, 'subAgent', invocationId);

/** One run: a host's, from its claim to its end in the store, whether an activity holds a lease on it or not (ADR 0013). */
export const leaseSpan = (within: TraceContext, invocationId: string, runNo: number) =>
  spanOf(within, 'runAgent', invocationId, String(runNo));

/** The process of a run, as its host sees it. */
export const runSpan = (within: TraceContext, invocationId: string, runNo: number) =>
  spanOf(within, 'run', invocationId, String(runNo));

function spanOf(within: TraceContext, ...about: string[]): TraceContext {
  const spanId = createHash('sha256').update(about.join('/')).digest('hex').slice(0, 16);
  return { ...within, spanId };
}
