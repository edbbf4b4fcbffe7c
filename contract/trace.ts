/** W3C trace context, and what a span of ours is. Nothing here knows how spans are sent. */

export interface TraceContext {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** 16 hexadecimal digits. */
  spanId: string;
  /** Whether whoever began the trace wants it recorded. */
  sampled: boolean;
}

/** The header of a request, and the variable of an agent's environment. */
export const traceparentHeader = 'traceparent';
export const traceparentVariable = 'TRACEPARENT';

/** Later versions than 00 may append fields, which are not for us; `ff` is forbidden. */
const pattern = /^(?!ff|00.{54})[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/;

/** Null for what is none: it is as if nothing had been said, as the standard has it. */
export function parseTraceparent(text: string | null | undefined): TraceContext | null {
  const [, traceId, spanId, flags] = pattern.exec(text ?? '') ?? [];
  if (!traceId || !spanId || !flags || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export function formatTraceparent({ traceId, spanId, sampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;
}

export interface Span {
  name: 'runSubagent' | 'sendToSubagent' | 'subAgent' | 'runAgent' | 'run';
  kind: 'server' | 'internal';
  context: TraceContext;
  parentSpanId: string | null;
  startMs: number;
  endMs: number;
  attributes: Record<string, string | number | boolean>;
  /** The code of what went wrong. Never a message, which may quote what an agent said. */
  errorCode: string | null;
}

/** Takes a span that is over. It never fails and never waits. */
export type RecordSpan = (span: Span) => void;
