/** A collector on loopback that takes OTLP over HTTP as JSON, and keeps what it was sent. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

type Attribute = { key: string; value: Record<string, string | number> };

export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string | null;
  name: string;
  startMs: number;
  endMs: number;
  isError: boolean;
  attributes: Record<string, string | number>;
  /** Which of our processes sent it. */
  process: string;
}

interface SentSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  status: { code: number };
  attributes: Attribute[];
}

interface Sent {
  resourceSpans?: { resource: { attributes: Attribute[] }; scopeSpans: { spans: SentSpan[] }[] }[];
  resourceMetrics?: { scopeMetrics: { metrics: { name: string }[] }[] }[];
}

export interface Receiver {
  endpoint: string;
  spans: ReceivedSpan[];
  /** Names of metrics, as they came. */
  metrics: Set<string>;
  /** Everything, as it came. */
  text(): string;
}

export async function withReceiver<T>(use: (receiver: Receiver) => Promise<T>): Promise<T> {
  const receiver = await openReceiver();
  try {
    return await use(receiver);
  } finally {
    await receiver.close();
  }
}

export async function openReceiver(): Promise<Receiver & { close(): Promise<void> }> {
  const spans: ReceivedSpan[] = [];
  const metrics = new Set<string>();
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      bodies.push(body);
      const sent = JSON.parse(body) as Sent;
      if (request.url === '/v1/traces') spans.push(...spansOf(sent));
      if (request.url === '/v1/metrics') namesOf(sent).forEach((name) => metrics.add(name));
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    spans,
    metrics,
    text: () => bodies.join('\n'),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const msOf = (nanos: string) => Number(BigInt(nanos) / 1_000_000n);

const valuesOf = (attributes: Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]!]));

const namesOf = (sent: Sent) =>
  (sent.resourceMetrics ?? []).flatMap((one) =>
    one.scopeMetrics.flatMap((scope) => scope.metrics.map((metric) => metric.name)),
  );

function spansOf(sent: Sent): ReceivedSpan[] {
  return (sent.resourceSpans ?? []).flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap((scope) =>
      scope.spans.map((span) => ({
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId || null,
        name: span.name,
        startMs: msOf(span.startTimeUnixNano),
        endMs: msOf(span.endTimeUnixNano),
        isError: span.status.code === 2,
        attributes: valuesOf(span.attributes),
        process: String(valuesOf(resource.attributes)['offshoot.process']),
      })),
    ),
  );
}
