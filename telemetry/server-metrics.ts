/** The server's metrics: what has happened is counted as it is committed, what is so is read when asked. */
import { statSync } from 'node:fs';
import { load } from '../store/admission.ts';
import { listHosts, isLive } from '../store/hosts.ts';
import type { Change, Store } from '../store/index.ts';
import { openByStatus, queueLength } from '../store/invocations.ts';
import { outboxState } from '../store/outbox.ts';
import { isFinal, statuses, type ExecutionMode } from '../contract/words.ts';
import { createCounter, createHistogram, gauge, type Family } from './instruments.ts';
import { createPresence } from './presence.ts';
import { watchLag } from './watch-lag.ts';

/** From a commit on a fast disk to one that waits behind a full queue. */
const shortSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
/** From an `echo` to a day's work. */
const lifeSeconds = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 14_400, 86_400];
/** Up to as many as one transaction takes. */
const groupSizes = [1, 2, 5, 10, 25, 50, 100, 250, 500];

export interface MetricSources {
  store: Store;
  databaseFile: string;
  isEngineConnected(): boolean;
}

export function createServerMetrics() {
  const accepting = createHistogram(
    'offshoot_accept_duration_seconds',
    'From the request to the commit that accepts an invocation, by mode.',
    shortSeconds,
  );
  const ended = createCounter(
    'offshoot_invocations_ended_total',
    'Invocations that ended, by final status, error code (none: empty) and mode.',
  );
  const lives = createHistogram(
    'offshoot_invocation_duration_seconds',
    'From acceptance to the end, by mode. A SYNC caller is answered by the same commit.',
    lifeSeconds,
  );
  const callbacks = createCounter(
    'offshoot_callbacks_total',
    'Callbacks that were queued for a parent, and that were delivered to one.',
  );
  // A rate needs the nought before the first of each.
  for (const state of ['queued', 'delivered'] as const) callbacks.add({ state }, 0);
  const commits = createHistogram(
    'offshoot_store_commit_duration_seconds',
    'One transaction of the store, with its flush to disk.',
    shortSeconds,
  );
  const groups = createHistogram(
    'offshoot_store_commit_writes',
    'Writes that one transaction of the store served.',
    groupSizes,
  );
  const lag = watchLag(shortSeconds);
  const waiters = createPresence();
  const readers = createPresence();

  function hear(change: Change): void {
    if (change.kind === 'callbacks') callbacks.add({ state: change.state }, change.count);
    if (change.kind !== 'final') return;
    const { status, errorCode, mode, seconds } = change.ended;
    ended.add({ status, error_code: errorCode ?? '', mode }, 1);
    lives.observe({ mode }, seconds);
  }

  return {
    hear,
    waiters,
    readers,
    accepted: (mode: ExecutionMode, seconds: number) => accepting.observe({ mode }, seconds),
    committed(seconds: number, writes: number): void {
      commits.observe({}, seconds);
      groups.observe({}, writes);
    },
    read: (sources: MetricSources): Family[] => [
      ...[ended, accepting, lives, callbacks, commits, groups].map((one) => one.read()),
      ...storeGauges(sources),
      gauge('offshoot_waiters', 'Calls that wait for an ending.', waiters.count()),
      gauge('offshoot_event_readers', 'Open streams of events.', readers.count()),
      lag.read(),
      ...processGauges(),
    ],
    stop: () => lag.stop(),
  };
}
export type ServerMetrics = ReturnType<typeof createServerMetrics>;

/** Each is answered by an index that holds nothing but open work: a scrape costs what is open. */
function storeGauges({ store, databaseFile, isEngineConnected }: MetricSources): Family[] {
  const now = store.now();
  const open = openByStatus(store.db);
  const outbox = outboxState(store.db);
  const hosts = listHosts(store.db).map((host) => ({
    labels: { host: host.id },
    slots: host.slots,
    used: load(store, host).working,
    up: Number(isLive(host, now)),
  }));
  const perHost = (pick: 'slots' | 'used' | 'up') =>
    hosts.map((host) => ({ labels: host.labels, value: host[pick] }));
  const age = outbox.oldest === null ? 0 : (Date.parse(now) - Date.parse(outbox.oldest)) / 1000;
  return [
    gauge(
      'offshoot_invocations_open',
      'Invocations that have not ended, by status.',
      statuses
        .filter((status) => !isFinal(status))
        .map((status) => ({ labels: { status }, value: open[status] ?? 0 })),
    ),
    gauge('offshoot_queue_length', 'Invocations that wait for a slot.', queueLength(store.db)),
    gauge('offshoot_host_up', 'Whether a runner host has spoken lately.', perHost('up')),
    gauge('offshoot_host_slots', 'Agents that may work on a host at once.', perHost('slots')),
    gauge('offshoot_host_slots_used', 'Agents at work, waiting ones apart.', perHost('used')),
    gauge('offshoot_outbox_rows', 'Messages to the engine without an effect yet.', outbox.rows),
    gauge('offshoot_outbox_oldest_age_seconds', 'Age of the oldest of them; 0 for none.', age),
    gauge('offshoot_engine_connected', '1 while Temporal answers.', Number(isEngineConnected())),
    gauge(
      'offshoot_store_wal_bytes',
      'Size of the write-ahead log.',
      sizeOf(`${databaseFile}-wal`),
    ),
  ];
}

function processGauges(): Family[] {
  const { user, system } = process.cpuUsage();
  return [
    {
      name: 'process_cpu_seconds_total',
      help: 'Processor time of the server.',
      type: 'counter',
      samples: [{ labels: {}, value: (user + system) / 1e6 }],
    },
    gauge('process_resident_memory_bytes', 'Memory of the server.', process.memoryUsage.rss()),
    gauge(
      'process_start_time_seconds',
      'When the server was started, since 1970.',
      Math.round(performance.timeOrigin) / 1000,
    ),
  ];
}

const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
