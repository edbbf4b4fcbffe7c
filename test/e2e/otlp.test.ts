/** What a collector is sent, and what becomes of it when there is none. */
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import type { Span } from '../../contract/trace.ts';
import { createCounter, createHistogram, type Family } from '../../telemetry/instruments.ts';
import { withReceiver } from '../telemetry/otlp-receiver.ts';

const span = (more: Partial<Span> = {}): Span => ({
  name: 'run',
  kind: 'internal',
  context: { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), sampled: true },
  parentSpanId: null,
  startMs: 1_700_000_000_123,
  endMs: 1_700_000_001_456,
  attributes: { 'offshoot.run': 1 },
  errorCode: null,
  ...more,
});

const sender = fileURLToPath(new URL('../fixtures/send-otlp.mjs', import.meta.url));

/** What its log said, and how long its end took. */
async function send(endpoint: string, spans: Span[], families: Family[] = []) {
  const args = [sender, JSON.stringify({ endpoint, spans, families })];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as { lines: string[]; stopMs: number };
}

/** A collector that answers every request as it is told to, or never. */
async function withCollector(
  status: number | null,
  use: (endpoint: string) => Promise<void>,
): Promise<void> {
  const server = createServer((request, response) => {
    request.resume();
    if (status !== null) response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

test('a span keeps its ids, times to the millisecond, and its error by code; one not sampled is not sent', async () => {
  await withReceiver(async ({ endpoint, spans }) => {
    const failed = span({ parentSpanId: 'c'.repeat(16), errorCode: 'exit_nonzero' });
    const unsampled = span({ context: { ...span().context, sampled: false } });
    await send(`${endpoint}/`, [failed, unsampled]);
    expect(spans).toEqual([
      {
        traceId: 'a'.repeat(32),
        spanId: 'b'.repeat(16),
        parentSpanId: 'c'.repeat(16),
        name: 'run',
        startMs: 1_700_000_000_123,
        endMs: 1_700_000_001_456,
        isError: true,
        attributes: { 'offshoot.run': 1, 'error.type': 'exit_nonzero' },
        process: 'server',
      },
    ]);
  });
});

test('metrics are those of a scrape, with their unit', async () => {
  await withReceiver(async ({ endpoint, metrics, text }) => {
    const count = createCounter('offshoot_ended_total', 'Ended.');
    count.add({ mode: 'SYNC' }, 3);
    const took = createHistogram('offshoot_took_seconds', 'Took.', [1, 2]);
    took.observe({}, 1.5);
    await send(endpoint, [], [count.read(), took.read()]);
    expect([...metrics]).toEqual(['offshoot_ended_total', 'offshoot_took_seconds']);
    expect(text()).toMatch(/"unit":"s".*"bucketCounts":\[0,1,0\]/);
  });
});

test('a collector that refuses is told in the log, the same trouble once, and at the end what is lost', async () => {
  await withCollector(400, async (endpoint) => {
    const { lines } = await send(endpoint, [span()]);
    expect(lines).toEqual([
      expect.stringMatching(/^telemetry: /),
      'telemetry: not taken by the collector: 1 of 1 spans',
    ]);
  });
});

test('one that never answers keeps nobody from ending, and what is lost is said once', async () => {
  await withCollector(null, async (endpoint) => {
    const unsampled = span({ context: { ...span().context, sampled: false } });
    const { lines, stopMs } = await send(endpoint, [span(), span(), unsampled]);
    // Runner host and server end one after the other, and a second is theirs in all.
    expect(stopMs).toBeLessThan(8000);
    expect(lines).toEqual(['telemetry: not taken by the collector: 2 of 2 spans']);
  });
});

test('one that takes all has nothing said of it', async () => {
  await withReceiver(async ({ endpoint }) => {
    const { lines } = await send(endpoint, [span(), span()]);
    expect(lines).toEqual([]);
  });
});
