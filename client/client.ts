/** The typed HTTP client: one call per declared operation, and the live stream of an invocation. */
import { randomUUID } from 'node:crypto';
import type { OperationInput, OperationName, OperationOutput } from '../contract/operations.ts';
import type { SessionTurn } from '../contract/transcripts.ts';
import { followEvents, followSession, type EventOptions, type SubAgentEvent } from './events.ts';
import { sendOperation, type SendOperation } from './send-operation.ts';
import { createTransport, type TransportOptions } from './transport.ts';
import { spawnAndWait, waitInPieces } from './waits.ts';

export interface OffshootClient {
  readonly url: string;
  /**
   * Asks for one operation. Repeats itself while the server is away; waits for SYNC answers as long
   * as it takes, in pieces that no proxy or client timeout cuts. Throws `AppError`.
   */
  call<N extends OperationName>(
    name: N,
    input: OperationInput<N>,
    options?: CallOptions,
  ): Promise<OperationOutput<N>>;
  /** What an invocation says, from `after` on, live, until it has ended. Survives server restarts. */
  events(id: string, options?: EventOptions): AsyncGenerator<SubAgentEvent, void, undefined>;
  /** What is said in a session, from `after` on, live, as long as it is there. */
  watchSession(
    session: { key: string; agentId?: string },
    options?: EventOptions,
  ): AsyncGenerator<SessionTurn, void, undefined>;
}

export interface ClientOptions extends TransportOptions {
  /** Session key of who asks, sent along when something is run or waited for. A child's token says it by itself. */
  parentSessionId?: string | null;
  /** W3C traceparent of the span that asks, sent along when something is run. */
  traceparent?: string | null;
}

export interface CallOptions {
  /** Ends the waiting of this process. It does not cancel what was asked for. */
  signal?: AbortSignal;
  /** Who asks, for this call only; null for nobody. */
  parentSessionId?: string | null;
  /** The same key twice is one sub-agent. Made here when not given. */
  idempotencyKey?: string;
}

export function createClient(options: ClientOptions): OffshootClient {
  const transport = createTransport(options);

  // The key exists before the first attempt, so that a repeat after a lost answer finds its child.
  function sender(call: CallOptions): SendOperation {
    const asker =
      call.parentSessionId === undefined ? options.parentSessionId : call.parentSessionId;
    const context = {
      parentSessionId: asker ?? null,
      idempotencyKey: call.idempotencyKey ?? randomUUID(),
      traceparent: options.traceparent ?? null,
      ...(call.signal ? { signal: call.signal } : {}),
    };
    return (name, input) => sendOperation(transport, name, input, context);
  }

  return {
    url: transport.url,
    call: (name, input, call = {}) => dispatch(sender(call), name, input, call.signal),
    events: (id, events = {}) => followEvents(transport, id, events),
    watchSession: (session, events = {}) => followSession(transport, session, events),
  };
}

/** Three operations may wait long; all others are one request and its answer. */
function dispatch<N extends OperationName>(
  send: SendOperation,
  name: N,
  input: OperationInput<N>,
  signal: AbortSignal | undefined,
): Promise<OperationOutput<N>>;
function dispatch(
  send: SendOperation,
  name: OperationName,
  input: OperationInput<OperationName>,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  if (name === 'waitSubagents') {
    return waitInPieces(send, input as OperationInput<'waitSubagents'>, signal);
  }
  if (name === 'runSubagent' || name === 'sendToSubagent') {
    return spawnAndWait(send, name, input as OperationInput<typeof name>, signal);
  }
  return send(name, input);
}
