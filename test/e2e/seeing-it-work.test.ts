/** One trace over a tree, off unless it is asked for; numbers that are true; logs that are JSON. */
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { discover } from '../../client/index.ts';
import { homePaths } from '../../contract/home.ts';
import { formatTraceparent } from '../../contract/trace.ts';
import { startDetached, stopLauncher } from '../../launcher/index.ts';
import { withReceiver, type ReceivedSpan } from '../telemetry/otlp-receiver.ts';
import { parseMetrics } from '../telemetry/parse-metrics.ts';
import { program, runners } from './agents.ts';
import { cleanEnv } from './commands.ts';
import { withLoneServer } from './lone-server.ts';
import { ask } from './requests.ts';
import { rows } from './rows.ts';
import { startStack, type Stack } from './stack.ts';

/** Spans are sent this soon instead of after five seconds. */
const soon = { OTEL_BSP_SCHEDULE_DELAY: '100' };
const noteModules = fileURLToPath(new URL('../fixtures/note-modules.mjs', import.meta.url));

const caller = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  sampled: true,
};

/** A SYNC child that asks over MCP for a callback child. */
const root = program(async ({ ask: askAs, env, say }, mid) => {
  const { body } = await askAs('POST', '/api/subagents', { runnerId: 'demo', prompt: mid });
  say({ traceparent: env['TRACEPARENT'], child: body['id'] });
}, 'spawn-mcp ASYNC_CALLBACK as leaf: say a-secret-word; say asked');

const metricsOf = async ({ url, token }: Pick<Stack, 'url' | 'token'>) => {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  return parseMetrics(await response.text());
};

const isOf = (name: ReceivedSpan['name'], id: string) => (span: ReceivedSpan) =>
  span.name === name && span.attributes['offshoot.invocation'] === id;

test('a tree of three levels is one trace, from the request of its root to the last process', async () => {
  await withReceiver(async (receiver) => {
    const stack = await startStack({
      config: { runners, telemetry: { otlpEndpoint: receiver.endpoint } },
      env: soon,
    });
    let leaf = '';
    let answer: { id: string; said: { traceparent: string; child: string } };
    try {
      const { body } = await ask(stack, 'POST', '/api/subagents', {
        body: { runnerId: 'js', prompt: root },
        headers: { traceparent: formatTraceparent(caller) },
      });
      expect(body.status).toBe('completed');
      answer = { id: body.id, said: JSON.parse(body.result!.content) as never };
      const query = 'SELECT id FROM subagent_sessions WHERE owner_invocation_id = ?';
      [{ id: leaf } = { id: '' }] = rows<{ id: string }>(stack.home, query, answer.said.child);

      const metrics = await metricsOf(stack);
      const ended = (mode: string) =>
        metrics.value(
          `offshoot_invocations_ended_total{error_code="",mode="${mode}",status="completed"}`,
        );
      expect([ended('SYNC'), ended('ASYNC_CALLBACK')]).toEqual([2, 1]);
      expect(metrics.value('offshoot_callbacks_total{state="delivered"}')).toBe(1);
      expect(metrics.value('offshoot_engine_connected')).toBe(1);
      expect(metrics.value('process_resident_memory_bytes')).toBeGreaterThan(50e6);
    } finally {
      // What is left is sent when the processes end.
      await stack.stop();
    }

    const { spans } = receiver;
    const one = (name: ReceivedSpan['name'], id: string, run?: number) => {
      const found = spans
        .filter(isOf(name, id))
        .filter((span) => run === undefined || span.attributes['offshoot.run'] === run);
      expect([name, id, run, found.length]).toEqual([name, id, run, 1]);
      return found[0]!;
    };
    expect(new Set(spans.map((span) => span.traceId))).toEqual(new Set([caller.traceId]));
    const mid = answer.said.child;
    const levels = [
      { id: answer.id, above: caller.spanId, mode: 'SYNC', runs: 1 },
      { id: mid, above: one('run', answer.id).spanId, mode: 'SYNC', runs: 2 },
      { id: leaf, above: one('run', mid, 1).spanId, mode: 'ASYNC_CALLBACK', runs: 1 },
    ];
    for (const [depth, { id, above, mode, runs }] of levels.entries()) {
      const request = one('runSubagent', id);
      const life = one('subAgent', id);
      expect([request.parentSpanId, life.parentSpanId]).toEqual([above, request.spanId]);
      expect(life.attributes).toMatchObject({
        'offshoot.mode': mode,
        'offshoot.depth': depth,
        'offshoot.status': 'completed',
        'offshoot.workflow': `subagent/${id}`,
      });
      for (let run = 1; run <= runs; run += 1) {
        const lease = one('runAgent', id, run);
        const process = one('run', id, run);
        expect([lease.parentSpanId, process.parentSpanId]).toEqual([life.spanId, lease.spanId]);
        expect([lease.process, process.process]).toEqual(['server', 'host']);
        expect(life.startMs).toBeLessThanOrEqual(lease.startMs);
        expect(lease.startMs).toBeLessThanOrEqual(process.startMs);
        expect(process.endMs).toBeLessThanOrEqual(lease.endMs);
        expect(lease.endMs).toBeLessThanOrEqual(life.endMs);
      }
    }
    expect(spans).toHaveLength(3 + 3 + 4 + 4);
    expect(spans.filter((span) => span.isError)).toEqual([]);
    expect(answer.said.traceparent).toBe(`00-${caller.traceId}-${one('run', answer.id).spanId}-01`);
    expect([...receiver.metrics]).toContain('offshoot_invocations_ended_total');
    expect(receiver.text()).not.toMatch(/a-secret-word|off_[\w-]+\./);
  });
}, 120_000);

test('nothing of OpenTelemetry is loaded or kept unless an endpoint is set, and every line of our logs is JSON', async () => {
  const home = mkdtempSync(join(realpathSync(tmpdir()), 'home-'));
  const file = join(home, 'modules');
  const env = { NODE_OPTIONS: `--import=${noteModules}`, NOTE_MODULES_FILE: file };
  writeFileSync(join(home, 'config.json'), JSON.stringify({ runners }));
  const told: string[] = [];
  try {
    const onProgress = (line: string) => told.push(line);
    await startDetached({ home, port: 0, env: cleanEnv(env), onProgress });
    const { url, token } = discover(home);
    const { body } = await ask({ url, token }, 'POST', '/api/subagents', {
      body: { runnerId: 'sh', prompt: 'echo "trace: $TRACEPARENT"' },
      headers: { traceparent: formatTraceparent(caller) },
    });
    expect(body.result?.content).toBe('trace: ');
    expect(rows(home, 'SELECT traceparent FROM subagent_sessions')).toEqual([
      { traceparent: null },
    ]);
  } finally {
    await stopLauncher(home, { leaveAgents: false, onProgress: () => {} });
  }
  const loaded = readFileSync(file, 'utf8').split('\n');
  for (const entry of ['api/main.js', 'worker/main.js']) {
    const modules = loaded.filter((line) => line.includes(`${entry} `));
    expect(modules.filter((line) => line.includes('@temporalio'))).not.toEqual([]);
  }
  expect(loaded.filter((line) => line.includes('opentelemetry'))).toEqual([]);

  const { logs } = homePaths(home);
  const lines = ['launcher', 'server', 'host'].flatMap((name) => {
    const log = join(logs, `${name}.log`);
    return existsSync(log) ? readFileSync(log, 'utf8').split('\n').slice(0, -1) : [];
  });
  const objects = lines.map((line) => JSON.parse(line) as Record<string, string>);
  expect(objects.filter(({ process }) => process === 'launcher').length).toBeGreaterThan(3);
  expect(objects.filter((one) => !one['time'] || !one['level'] || !one['msg'])).toEqual([]);
  // A terminal shows what is said, and no JSON.
  expect(told).toContain('server: up');
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}, 120_000);

test('with an endpoint OpenTelemetry is loaded, and a collector that is not there harms nothing but its own line', async () => {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'modules-'));
  const file = join(folder, 'modules');
  await withLoneServer(
    {
      config: { runners },
      env: {
        ...soon,
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
        NODE_OPTIONS: `--import=${noteModules}`,
        NOTE_MODULES_FILE: file,
      },
    },
    async ({ client, home }) => {
      const input = { runnerId: 'sh', prompt: 'echo', executionMode: 'ASYNC_POLL' } as const;
      const { id } = await client.call('runSubagent', input);
      await client.call('cancelSubagent', { id });
      const [row] = rows<{ traceparent: string }>(
        home,
        'SELECT traceparent FROM subagent_sessions',
      );
      expect(row?.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    },
  );
  expect(readFileSync(file, 'utf8')).toContain('@opentelemetry');
  rmSync(folder, { recursive: true });
}, 60_000);
