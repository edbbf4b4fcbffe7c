import { setImmediate as nextTurn } from 'node:timers/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { Db } from '../../store/index.ts';
import { prometheusText } from '../../telemetry/prometheus-text.ts';
import { createServerMetrics } from '../../telemetry/server-metrics.ts';
import { failed } from '../operations/test-host.ts';
import { withOperations, type Room, type RoomOptions } from '../operations/operations-fixture.ts';
import { parseMetrics, type ParsedMetrics } from './parse-metrics.ts';

interface Measured {
  room: Room;
  read(db?: Db): ParsedMetrics;
}

const withMetrics = (use: (measured: Measured) => Promise<void>, options?: RoomOptions) =>
  withOperations(async (room) => {
    const metrics = createServerMetrics();
    room.store.changes.listen(metrics.hear);
    room.deps.measure = { accepted: metrics.accepted, waiting: metrics.waiters.enter };
    const read = (db = room.store.db) =>
      parseMetrics(
        prometheusText(
          metrics.read({
            store: { ...room.store, db },
            databaseFile: join(room.home, 'main.db'),
            isEngineConnected: () => false,
          }),
        ),
      );
    try {
      await use({ room, read });
    } finally {
      metrics.stop();
    }
  }, options);

test('what is open, queued and at work is as it is at the moment of asking', async () => {
  await withMetrics(
    async ({ room, read }) => {
      const first = await room.start();
      await room.start();
      await room.start();
      const open = (status: string) =>
        read().value(`offshoot_invocations_open{status="${status}"}`);
      expect([open('pending'), open('running')]).toEqual([3, 0]);
      expect(read().value('offshoot_queue_length')).toBe(1);
      expect(read().value('offshoot_host_slots{host="local"}')).toBe(2);
      expect(read().value('offshoot_host_slots_used{host="local"}')).toBe(2);
      expect(read().value('offshoot_outbox_rows')).toBe(3);
      expect(read().value('offshoot_engine_connected')).toBe(0);
      expect(read().value('offshoot_store_wal_bytes')).toBeGreaterThan(10_000);
      await room.host.claim(first.id);
      expect([open('pending'), open('running')]).toEqual([2, 1]);
      await room.ask('cancelSubagent', { id: first.id });
      room.clock.advance(60_000);
      expect(read().value('offshoot_host_up{host="local"}')).toBe(0);
      expect(read().value('offshoot_outbox_oldest_age_seconds')).toBeGreaterThanOrEqual(60);
    },
    { slots: 2 },
  );
});

test('callbacks are counted from nought, the queued ones and the delivered', async () => {
  await withMetrics(async ({ read }) => {
    const count = (state: string) => read().value(`offshoot_callbacks_total{state="${state}"}`);
    expect([count('queued'), count('delivered')]).toEqual([0, 0]);
  });
});

test('endings are counted by status, code and mode, each once, and so are callbacks', async () => {
  await withMetrics(async ({ room, read }) => {
    const { id: parent } = await room.start();
    const spec = await room.host.claim(parent);
    const callback = { executionMode: 'ASYNC_CALLBACK' } as const;
    const { id: child } = await room.start(callback, room.child(parent));
    const run = await room.host.claim(child);
    await room.host.end(run, failed('exit_nonzero'));
    await room.host.end(run, failed('exit_nonzero'));
    const ended = 'offshoot_invocations_ended_total';
    const one = `${ended}{error_code="exit_nonzero",mode="ASYNC_CALLBACK",status="failed"}`;
    expect(read().value(one)).toBe(1);
    expect(read().value('offshoot_callbacks_total{state="queued"}')).toBe(1);
    expect(read().value('offshoot_callbacks_total{state="delivered"}')).toBe(0);
    await room.host.end(spec, 'asked');
    await room.host.play(parent, 'heard');
    await nextTurn();
    expect(read().value('offshoot_callbacks_total{state="delivered"}')).toBe(1);
    const well = `${ended}{error_code="",mode="ASYNC_POLL",status="completed"}`;
    expect([read().value(one), read().value(well)]).toEqual([1, 1]);
    const lives = 'offshoot_invocation_duration_seconds_count';
    expect(read().value(`${lives}{mode="ASYNC_CALLBACK"}`)).toBe(1);
    expect(read().value('offshoot_accept_duration_seconds_count{mode="ASYNC_POLL"}')).toBe(1);
  });
});

test('whoever waits is counted for as long as it waits', async () => {
  await withMetrics(async ({ room, read }) => {
    const { id } = await room.start();
    const run = await room.host.claim(id);
    const waiting = room.ask('waitSubagents', { ids: [id] });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(read().value('offshoot_waiters')).toBe(1);
    await room.host.end(run, 'done');
    await waiting;
    expect(read().value('offshoot_waiters')).toBe(0);
  });
});

test('no series names a session or an invocation', async () => {
  await withMetrics(async ({ room, read }) => {
    const before = read();
    for (let i = 0; i < 20; i += 1) await room.host.play((await room.start()).id, 'done');
    const names = [...read().types.keys()];
    expect(names).toEqual([...before.types.keys()]);
    const series = names.flatMap((name) => read().series(name));
    expect(series.filter((one) => /sub_|ses_/.test(one))).toEqual([]);
  });
});

test('a scrape looks at open work only: no query goes over all invocations, runs or callbacks', async () => {
  await withMetrics(async ({ room, read }) => {
    await room.start();
    const plans: string[] = [];
    const { db } = room.store;
    const explain = (sql: string, params = {}) => {
      const plan = db.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, params);
      plans.push(...plan.map(({ detail }) => detail));
    };
    read({
      ...db,
      get: (sql, params) => (explain(sql, params), db.get(sql, params)),
      all: (sql, params) => (explain(sql, params), db.all(sql, params)),
    });
    expect(plans.length).toBeGreaterThan(4);
    const open = /USING (COVERING )?INDEX idx_subagent_sessions_(open|queue|host)\b/;
    const large = /^(SCAN|SEARCH) (s|subagent_sessions|runs|mailbox|turns|sessions)\b/;
    expect(plans.filter((plan) => large.test(plan) && !open.test(plan))).toEqual([]);
  });
});
