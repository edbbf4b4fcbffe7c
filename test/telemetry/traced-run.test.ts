import { expect, test } from '@jest/globals';
import type { RunSpec } from '../../contract/run.ts';
import { formatTraceparent, parseTraceparent, type Span } from '../../contract/trace.ts';
import { tracedRun } from '../../telemetry/traced-run.ts';
import { failed } from '../operations/test-host.ts';
import { nodeRunner, run, specOf, withRoom } from '../runners/run-fixture.ts';

const lease = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  sampled: true,
};
const traceparent = formatTraceparent(lease);

test('a program finds the span it runs in as TRACEPARENT, whatever its caller set; without traces that stays', async () => {
  await withRoom(async (room) => {
    const seen = async (spec: Partial<RunSpec>) => {
      const whole = specOf(room, nodeRunner('dump', []), { env: { TRACEPARENT: 'mine' }, ...spec });
      const { outcome } = await run(room, whole);
      return (JSON.parse(outcome.content!) as { env: Record<string, string> }).env['TRACEPARENT'];
    };
    expect(await seen({ traceparent })).toBe(traceparent);
    expect(await seen({ traceparent: null })).toBe('mine');
  });
});

test('a run is a span below its lease, and the program is told that span and not the lease', async () => {
  await withRoom(async (room) => {
    const spans: Span[] = [];
    const told: (string | null)[] = [];
    const program = async (spec: RunSpec) => {
      told.push(spec.traceparent);
      return failed('no');
    };
    const traced = tracedRun(program, (span) => spans.push(span));
    await traced(specOf(room, nodeRunner('dump', []), { traceparent }), {});
    expect(spans).toHaveLength(1);
    expect(spans[0]).toMatchObject({
      name: 'run',
      parentSpanId: lease.spanId,
      errorCode: 'exit_nonzero',
      attributes: { 'offshoot.run': 1, 'process.exit.code': 1 },
    });
    expect(parseTraceparent(told[0])).toEqual(spans[0]!.context);

    await tracedRun(program, null)(specOf(room, nodeRunner('dump', []), { traceparent }), {});
    await traced(specOf(room, nodeRunner('dump', [])), {});
    expect([told.slice(1), spans.length]).toEqual([[traceparent, null], 1]);
  });
});
