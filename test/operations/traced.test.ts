import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { parseTraceparent, type Span } from '../../contract/trace.ts';
import { createStoreSpans } from '../../telemetry/store-spans.ts';
import { callerAs, refusal, withOperations, type Room } from './operations-fixture.ts';

const trace = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  sampled: true,
};

function record(room: Room): Span[] {
  const spans: Span[] = [];
  room.deps.recordSpan = (span) => void spans.push(span);
  room.store.changes.listen(createStoreSpans(room.store.db, room.deps.recordSpan));
  return spans;
}

const named = (spans: Span[], name: Span['name']) => spans.find((span) => span.name === name)!;

test('without traces nothing is kept, also of a caller that has one', async () => {
  await withOperations(async (room) => {
    const { id } = await room.start({}, callerAs({ claims: { role: 'admin' }, trace }));
    expect(room.row(id).traceparent).toBeNull();
    expect((await room.host.claim(id)).traceparent).toBeNull();
  });
});

test('a request joins the trace of its caller; invocation and run hang below it, with the times of the store, whatever the engine has seen of them', async () => {
  await withOperations(async (room) => {
    const spans = record(room);
    const { id } = await room.start({}, callerAs({ claims: { role: 'admin' }, trace }));
    const run = await room.host.claim(id);
    await room.host.end(run, 'done');
    await nextTurn();
    // No workflow has begun, and no activity will.
    expect(room.row(id).engine_state).toBe('unstarted');
    const [request, lease, life] = [
      named(spans, 'runSubagent'),
      named(spans, 'runAgent'),
      named(spans, 'subAgent'),
    ];
    expect(spans).toHaveLength(3);
    expect(new Set(spans.map((span) => span.context.traceId))).toEqual(new Set([trace.traceId]));
    expect(request.parentSpanId).toBe(trace.spanId);
    expect(life.parentSpanId).toBe(request.context.spanId);
    expect(lease.parentSpanId).toBe(life.context.spanId);
    expect(parseTraceparent(run.traceparent)).toEqual(lease.context);
    const { created_at: created, completed_at: completed } = room.row(id);
    expect([life.startMs, life.endMs]).toEqual([Date.parse(created), Date.parse(completed!)]);
    const { claimed_at: claimed, ended_at: ended } = room.store.db.get<Record<string, string>>(
      'SELECT claimed_at, ended_at FROM runs',
    )!;
    expect([lease.startMs, lease.endMs]).toEqual([Date.parse(claimed!), Date.parse(ended!)]);
    expect(life.attributes).toMatchObject({ 'offshoot.status': 'completed', 'offshoot.depth': 0 });
    expect(JSON.stringify(spans)).not.toMatch(/do it|done/);
  });
});

test('an agent that says nothing of a span asks within its own run; one that does is believed', async () => {
  await withOperations(async (room) => {
    const spans = record(room);
    const { id } = await room.start();
    await room.host.claim(id);
    await room.start({}, room.child(id));
    await room.start({}, { ...room.child(id), trace });
    const [root, child, other] = spans.filter((span) => span.name === 'runSubagent');
    expect(root!.parentSpanId).toBeNull();
    expect(child!.context.traceId).toBe(root!.context.traceId);
    expect(child!.parentSpanId).not.toBeNull();
    expect(child!.parentSpanId).not.toBe(root!.context.spanId);
    expect([other!.context.traceId, other!.parentSpanId]).toEqual([trace.traceId, trace.spanId]);
  });
});

test('a refusal, a failure and a lost run are errors by their code', async () => {
  await withOperations(async (room) => {
    const spans = record(room);
    expect(await refusal(room.start({ runnerId: 'nobody' }))).toBe('unknown_runner');
    const { id } = await room.start();
    await room.host.lose(await room.host.claim(id));
    await nextTurn();
    const codes = spans.map((span) => [span.name, span.errorCode]);
    expect(codes).toEqual([
      ['runSubagent', 'unknown_runner'],
      ['runSubagent', null],
      ['runAgent', 'lost'],
      ['subAgent', 'outcome_unknown'],
    ]);
  });
});
