/** GET /api/subagents/{id}/events: the live transcript, replayed after `Last-Event-ID`. */
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { callerOf } from './caller-of.ts';
import type { ApiDeps } from './deps.ts';
import { createDataEncoder, eventStream, heartbeatMs } from './event-stream.ts';
import type { ApiEnv } from './gate.ts';
import { refuseOtherMethods } from './operation-routes.ts';
import { asAppError } from './problem.ts';
import { parseInput } from './read-input.ts';

export const eventsPath = '/api/subagents/{id}/events';

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
    const closed = new AbortController();
    const caller = callerOf(c, AbortSignal.any([c.req.raw.signal, closed.signal]));
    // Asked first, because a stream that has begun cannot answer 404 or 403 any more.
    await deps.run('getSubagent', caller, { id });
    const body = eventStream(deps.watch(caller, { id, after }), {
      encodeData,
      heartbeatMs,
      onClose: () => closed.abort(),
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
  });
  refuseOtherMethods(app, eventsPath, ['GET']);
}

/** A reconnecting browser repeats its first query, so the later of the two counts. */
function startOf(c: Context): number {
  const query = parseInput(eventsQuerySchema, c.req.query());
  const header = parseInput(z.object({ 'Last-Event-ID': eventsQuerySchema.shape.after }), {
    'Last-Event-ID': c.req.header('last-event-id'),
  });
  return Math.max(Number(query.after), Number(header['Last-Event-ID']));
}
