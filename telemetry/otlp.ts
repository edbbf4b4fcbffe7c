/**
 * Sends spans and metrics to a collector. The only file that loads OpenTelemetry: `main.ts` files
 * import it where an endpoint is set, so that nobody else pays for it.
 */
import { SpanKind, SpanStatusCode, ValueType, type HrTime } from '@opentelemetry/api';
import { ExportResultCode, setGlobalErrorHandler } from '@opentelemetry/core';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  DataPointType,
  MeterProvider,
  PeriodicExportingMetricReader,
  type MetricData,
} from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, type ReadableSpan, type SpanExporter } from '@opentelemetry/sdk-trace';
import type { Log } from '../contract/log.ts';
import type { RecordSpan, Span, TraceContext } from '../contract/trace.ts';
import type { Family } from './instruments.ts';

/** A collector that does not answer keeps no process from ending: runner host and server end one after the other. */
const shutdownMs = 500;
const metricsEveryMs = 60_000;
/** A collector that takes longer has lost this reading; the next one says more. */
const metricsTimeoutMs = 10_000;

export interface OtlpOptions {
  /** Without `/v1/traces`. Headers, timeout and compression follow OTEL_EXPORTER_OTLP_…, as everywhere. */
  endpoint: string;
  process: 'server' | 'host';
  version: string;
  log: Log;
  /** Read each minute; more often than that a scrape may do. */
  metrics?: { read(): Family[]; everyMs?: number };
}

export interface Otlp {
  record: RecordSpan;
  /** Sends what is left. */
  stop(): Promise<void>;
}

export function startOtlp(options: OtlpOptions): Otlp {
  const tell = troubleTeller(options.log);
  setGlobalErrorHandler(tell);
  const base = options.endpoint.replace(/\/+$/, '');
  const resource = resourceFromAttributes({
    'service.name': 'offshoot',
    'service.version': options.version,
    'service.instance.id': `${options.process}-${process.pid}`,
    'offshoot.process': options.process,
  });
  const scope = { name: 'offshoot', version: options.version };
  const count = { recorded: 0, sent: 0 };
  const spans = new BatchSpanProcessor({
    exporter: counting(new OTLPTraceExporter({ url: `${base}/v1/traces` }), count),
  });
  const { metrics } = options;
  const meter =
    metrics &&
    new MeterProvider({
      resource,
      readers: [
        new PeriodicExportingMetricReader({
          exporter: new OTLPMetricExporter({ url: `${base}/v1/metrics` }),
          exportIntervalMillis: metrics.everyMs ?? metricsEveryMs,
          exportTimeoutMillis: Math.min(metrics.everyMs ?? metricsEveryMs, metricsTimeoutMs),
          metricProducers: [
            {
              collect: async () => ({
                resourceMetrics: {
                  resource,
                  scopeMetrics: [{ scope, metrics: metrics.read().map(metricOf) }],
                },
                errors: [],
              }),
            },
          ],
        }),
      ],
    });
  return {
    record(span) {
      if (span.context.sampled) count.recorded += 1;
      spans.onEnd(readableSpan(span, { resource, instrumentationScope: scope }));
    },
    async stop() {
      const sent = Promise.all([spans.shutdown(), meter?.shutdown()]).catch(tell);
      await Promise.race([sent, new Promise((resolve) => setTimeout(resolve, shutdownMs))]);
      tellLost(count, options.log);
    },
  };
}

interface SpanCount {
  /** Since the start of the process. */
  recorded: number;
  sent: number;
}

function counting(exporter: SpanExporter, count: SpanCount): SpanExporter {
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        if (result.code === ExportResultCode.SUCCESS) count.sent += spans.length;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}

/** With those that were dropped before: nobody is told of each. */
function tellLost({ recorded, sent }: SpanCount, log: Log): void {
  const lost = recorded - sent;
  if (lost > 0) log(`telemetry: not taken by the collector: ${lost} of ${recorded} spans`);
}

/** What cannot be sent is dropped, and nothing else suffers. The same trouble is one line. */
function troubleTeller(log: Log): (error: unknown) => void {
  let said = '';
  return (error) => {
    const message = error instanceof Error ? error.message : String(error);
    if (message !== said) log(`telemetry: ${(said = message)}`);
  };
}

type Origin = Pick<ReadableSpan, 'resource' | 'instrumentationScope'>;

function readableSpan(span: Span, origin: Origin): ReadableSpan {
  const context = contextOf(span.context);
  return {
    ...origin,
    name: span.name,
    kind: span.kind === 'server' ? SpanKind.SERVER : SpanKind.INTERNAL,
    spanContext: () => context,
    ...(span.parentSpanId !== null && {
      parentSpanContext: { ...context, spanId: span.parentSpanId },
    }),
    startTime: hrTime(span.startMs),
    endTime: hrTime(span.endMs),
    duration: hrTime(Math.max(0, span.endMs - span.startMs)),
    ended: true,
    status:
      span.errorCode === null
        ? { code: SpanStatusCode.UNSET }
        : { code: SpanStatusCode.ERROR, message: span.errorCode },
    attributes: {
      ...span.attributes,
      ...(span.errorCode !== null && { 'error.type': span.errorCode }),
    },
    links: [],
    events: [],
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

/** Spans of a trace that nobody wants recorded are dropped by the processor, by this flag. */
const contextOf = ({ traceId, spanId, sampled }: TraceContext) => ({
  traceId,
  spanId,
  traceFlags: sampled ? 1 : 0,
});

function metricOf(family: Family): MetricData {
  const from = hrTime(performance.timeOrigin);
  const now = hrTime(Date.now());
  const common = {
    descriptor: {
      name: family.name,
      description: family.help,
      unit: unitOf(family.name),
      valueType: ValueType.DOUBLE,
    },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  const times = { startTime: from, endTime: now };
  if (family.type === 'histogram') {
    return {
      ...common,
      dataPointType: DataPointType.HISTOGRAM,
      dataPoints: family.samples.map(({ labels, counts, sum }) => ({
        ...{ ...times, attributes: labels },
        value: {
          buckets: { boundaries: [...family.bounds], counts: [...counts] },
          sum,
          count: counts.reduce((a, b) => a + b, 0),
        },
      })),
    };
  }
  const dataPoints = family.samples.map(({ labels, value }) => ({
    ...{ ...times, attributes: labels, value },
  }));
  return family.type === 'counter'
    ? { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
    : { ...common, dataPointType: DataPointType.GAUGE, dataPoints };
}

/** Our names end in their unit, as Prometheus has it. */
function unitOf(name: string): string {
  const [, unit] = /_(seconds|bytes)(_total)?$/.exec(name) ?? [];
  return unit === 'seconds' ? 's' : unit === 'bytes' ? 'By' : '1';
}

function hrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.round((ms - seconds * 1000) * 1e6)];
}
