/** The live transcript of an invocation, or of a session, replayed after `Last-Event-ID`. */
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { anySignal } from '../contract/any-signal.ts';
import { sessionTranscriptSchema } from '../contract/transcripts.ts';
import type { TokenClaims } from '../domain/token.ts';
import type { Caller } from '../operations/caller.ts';
import { callerOf } from './caller-of.ts';
import type { ApiDeps, WatchItem } from './deps.ts';
import { createDataEncoder, eventStream, heartbeatMs } from './event-stream.ts';
import type { ApiEnv } from './gate.ts';
import { refuseOtherMethods } from './operation-routes.ts';
import { asAppError } from './problem.ts';
import { parseInput } from './read-input.ts';

export const eventsPath = '/api/subagents/{id}/events';
export const sessionEventsPath = '/api/sessions/{key}/events';

/** In a header or a query every number is a text. */
export const eventsQuerySchema = z.strictObject({
  after: z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .default('0')
    .describe('Turns after this one. The header Last-Event-ID goes further.'),
});

export function addEventRoute(app: Hono<ApiEnv>, deps: ApiDeps): void {
  const encodeData = createDataEncoder();
  app.get('/api/subagents/:id/events', async (c) => {
    const id = c.req.param('id');
    const after = startOf(c);
    return answerEvents(c, { deps, encodeData, id }, async (caller) => {
      await deps.run('getSubagent', caller, { id });
      return deps.watch(caller, { id, after });
    });
  });
  refuseOtherMethods(app, eventsPath, ['GET']);
  app.get('/api/sessions/:key/events', async (c) => {
    const { agentId, agent_id: alias, ...rest } = c.req.query();
    const asked = { key: c.req.param('key'), agentId: agentId ?? alias, format: 'turns', limit: 1 };
    const { key, agentId: agent } = parseInput(sessionTranscriptSchema, asked);
    const after = startOf(c, rest);
    return answerEvents(c, { deps, encodeData, id: key }, async (caller) => {
      const request = { key, agentId: agent, format: 'turns' as const, after: 0, limit: 1 };
      await deps.run('getSessionTranscript', caller, request);
      return deps.watchSession(caller, { key, agentId: agent, after });
    });
  });
  refuseOtherMethods(app, sessionEventsPath, ['GET']);
}

/** What may be read is asked first, because a stream that has begun cannot answer 404 or 403 any more. */
async function answerEvents(
  c: Context<ApiEnv>,
  {
    deps,
    encodeData,
    id,
  }: { deps: ApiDeps; encodeData: ReturnType<typeof createDataEncoder>; id: string },
  begin: (caller: Caller) => Promise<AsyncIterable<WatchItem>>,
): Promise<Response> {
  const closed = new AbortController();
  const caller = callerOf(c, anySignal([c.req.raw.signal, closed.signal]));
  const items = await begin(caller);
  const stopTimer = atExpiry(caller.claims, () => closed.abort());
  const body = eventStream(items, {
    encodeData,
    heartbeatMs,
    onClose: () => {
      stopTimer();
      closed.abort();
    },
    onFailure: (error) => {
      const known = asAppError(error, () =>
        deps.log.error('an event stream failed', { id, error }),
      );
      return { code: known.code, detail: known.message, hint: known.hint };
    },
  });
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    },
  });
}

/** A timer takes no more than 31 bits of milliseconds, 24 days; a token may hold for a year. */
const timerMsMax = 2 ** 31 - 1;

/** A token is looked at when a stream begins, which may outlast it. What it answers stops the timer. */
function atExpiry(claims: TokenClaims, end: () => void): () => void {
  if (!('expiresAt' in claims)) return () => {};
  const expiry = Date.parse(claims.expiresAt);
  let timer = setTimeout(look, wait());
  return () => clearTimeout(timer);

  function look(): void {
    if (wait() === 0) end();
    else timer = setTimeout(look, wait());
  }

  function wait(): number {
    return Math.min(Math.max(expiry - Date.now(), 0), timerMsMax);
  }
}

/** A reconnecting browser repeats its first query, so the later of the two counts. */
function startOf(c: Context, asked: object = c.req.query()): number {
  const query = parseInput(eventsQuerySchema, asked);
  const header = parseInput(z.object({ 'Last-Event-ID': eventsQuerySchema.shape.after }), {
    'Last-Event-ID': c.req.header('last-event-id'),
  });
  return Math.max(Number(query.after), Number(header['Last-Event-ID']));
}
