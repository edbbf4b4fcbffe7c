/** Follows an invocation, or a session, over server-sent events, across broken connections. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { AppError, isRequestErrorCode } from '../contract/errors.ts';
import { pathPart } from '../contract/path-part.ts';
import { subAgentRecordSchema, turnSchema } from '../contract/records.ts';
import type { SubAgentRecord, Turn } from '../contract/records.ts';
import { sessionTurnSchema, type SessionTurn } from '../contract/transcripts.ts';
import { readMessages, type SseMessage } from './sse.ts';
import { fetchFrom, notOffshoot, type Transport } from './transport.ts';
import { isConnectionError, withRetries } from './retry.ts';

export type SubAgentEvent =
  { event: 'turn'; id: number; data: Turn } | { event: 'end'; id: number; data: SubAgentRecord };

export interface EventOptions {
  /** `seq` of the last turn that is known already. Default: 0, from the beginning. */
  after?: number;
  signal?: AbortSignal;
}

/** A stream that ends at once, again and again, is not asked for faster than this. */
const reconnectMs = 250;

/** Until it has ended. */
export async function* followEvents(
  transport: Transport,
  id: string,
  options: EventOptions,
): AsyncGenerator<SubAgentEvent, void, undefined> {
  const path = `/api/subagents/${pathPart('id', id)}/events`;
  for await (const message of followMessages(transport, path, options)) {
    const event = eventOf(transport, message, {
      turn: turnSchema,
      end: subAgentRecordSchema,
    }) as SubAgentEvent | null;
    if (event === null) continue;
    yield event;
    if (event.event === 'end') return;
  }
}

/** Until whoever reads has enough: a session may always go on. */
export async function* followSession(
  transport: Transport,
  { key, agentId }: { key: string; agentId?: string },
  options: EventOptions,
): AsyncGenerator<SessionTurn, void, undefined> {
  const of = agentId === undefined ? '' : `?agentId=${encodeURIComponent(agentId)}`;
  const path = `/api/sessions/${pathPart('key', key)}/events${of}`;
  for await (const message of followMessages(transport, path, options)) {
    const event = eventOf(transport, message, { turn: sessionTurnSchema });
    if (event !== null) yield event.data as SessionTurn;
  }
}

async function* followMessages(
  transport: Transport,
  path: string,
  { after = 0, signal }: EventOptions,
): AsyncGenerator<SseMessage, void, undefined> {
  for (let last = after; ;) {
    const response = await openStream(transport, path, last, signal);
    for await (const message of untilBroken(readMessages(response), signal)) {
      const id = Number(message.id);
      // A replay may overlap with what was read before the connection broke.
      if (message.event === 'turn' && id <= last) continue;
      if (message.event === 'turn' || message.event === 'end') last = Math.max(last, id);
      yield message;
    }
    await sleep(reconnectMs, undefined, signal ? { signal } : {});
  }
}

function openStream(
  transport: Transport,
  path: string,
  last: number,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const request = {
    method: 'GET' as const,
    path,
    body: null,
    headers: {
      accept: 'text/event-stream',
      ...(last > 0 ? { 'last-event-id': String(last) } : {}),
    },
    ...(signal ? { signal } : {}),
  };
  return withRetries(transport, signal, () => fetchFrom(transport, request));
}

/** A connection that breaks in the middle is the same as one that ends: we ask again from where we are. */
async function* untilBroken(
  messages: AsyncIterable<SseMessage>,
  signal: AbortSignal | undefined,
): AsyncGenerator<SseMessage> {
  try {
    yield* messages;
  } catch (error) {
    signal?.throwIfAborted();
    if (!isConnectionError(error)) throw error;
  }
}

/** What the stream says when it fails at the server: a server that is only going away is asked again. */
function passingOrThrow(data: string): null {
  const { code, detail, hint } = z
    .object({ code: z.string(), detail: z.string(), hint: z.string().nullable() })
    .parse(JSON.parse(data));
  if (code === 'server_unavailable' || code === 'database_busy') return null;
  const options = hint === null ? {} : { hint };
  throw new AppError(isRequestErrorCode(code) ? code : 'internal', detail, options);
}

function eventOf(
  transport: Transport,
  message: SseMessage,
  schemas: Readonly<Record<string, z.ZodType>>,
): { event: string; id: number; data: unknown } | null {
  if (message.event === 'problem') return passingOrThrow(message.data);
  const schema = schemas[message.event];
  if (!schema) return null;
  try {
    const data = schema.parse(JSON.parse(message.data));
    return { event: message.event, id: Number(message.id), data };
  } catch (cause) {
    throw notOffshoot(transport, cause);
  }
}
