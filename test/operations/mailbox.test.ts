/** The mailbox of a session that Offshoot does not run: reading, paging, acknowledging. */
import { expect, test } from '@jest/globals';
import { limits } from '../../contract/limits.ts';
import { renderCallback } from '../../domain/envelope.ts';
import { refusal, withOperations } from './operations-fixture.ts';

const callback = { executionMode: 'ASYNC_CALLBACK' } as const;

test('a parent outside reads its callbacks, acknowledges them, and is not told again', async () => {
  await withOperations(async (room) => {
    await room.ask('registerSession', { key: 'main' });
    const one = await room.start({ ...callback, parentSessionId: 'main' });
    const two = await room.start({ ...callback, parentSessionId: 'main' });
    await room.host.play(two.id, 'second');
    await room.host.play(one.id, 'first');
    const { callbacks } = await room.ask('getCallbacks', { key: 'main' });
    expect(callbacks.map((each) => each.invocationId)).toEqual([two.id, one.id]);
    const ids = callbacks.map((each) => each.id);
    await room.ask('ackCallbacks', { key: 'main', ids });
    await room.ask('ackCallbacks', { key: 'main', ids });
    expect(await room.ask('getCallbacks', { key: 'main' })).toEqual({
      callbacks: [],
      remaining: 0,
    });
    const delivered = await room.ask('getCallbacks', { key: 'main', status: 'delivered' });
    expect(delivered.callbacks).toHaveLength(2);
    const turns = room.store.db.all<{ text: string }>(
      `SELECT text FROM turns t JOIN sessions s ON s.id = t.session_id
       WHERE s.session_key = 'main' AND role = 'callback' ORDER BY seq`,
    );
    expect(turns.map((turn) => turn.text)).toEqual(callbacks.map((each) => each.envelope));
  });
});

test('a full mailbox is read page by page, and no page is skipped or told twice', async () => {
  await withOperations(
    async (room) => {
      await room.ask('registerSession', { key: 'main' });
      const count = limits.callbacksPageMax + 5;
      const ended: string[] = [];
      for (let n = 0; n < count; n += 1) {
        const { id } = await room.start({ ...callback, parentSessionId: 'main' });
        await room.host.play(id, `answer ${n}`);
        ended.push(id);
      }
      const first = await room.ask('getCallbacks', { key: 'main' });
      expect([first.callbacks.length, first.remaining]).toEqual([limits.callbacksPageMax, 5]);
      const after = first.callbacks.at(-1)!.id;
      const second = await room.ask('getCallbacks', { key: 'main', after });
      expect(second.remaining).toBe(0);
      const told = [...first.callbacks, ...second.callbacks].map((each) => each.invocationId);
      expect(told).toEqual(ended);
    },
    { limits: { maxChildren: 500 } },
  );
});

test('of an answer of megabytes the parent reads what it would read of the whole', async () => {
  await withOperations(async (room) => {
    await room.ask('registerSession', { key: 'main' });
    const { id } = await room.start({ ...callback, parentSessionId: 'main' });
    const content = `head ${'äö <x> '.repeat(500_000)} tail`;
    await room.host.play(id, content);
    const { callbacks } = await room.ask('getCallbacks', { key: 'main' });
    const row = room.row(id);
    const whole = renderCallback({
      ...{ callbackId: callbacks[0]!.id, invocationId: id, sessionKey: row.session_key },
      ...{ runnerId: row.runner_id, title: row.title, status: row.status },
      ...{ durationMs: row.duration_ms, tokenUsage: null, content: room.words(id).result_content },
      ...{ error: null, errorCode: null },
    });
    expect(callbacks[0]!.envelope).toBe(whole);
  });
});

test.each([
  ['lines', '\n', 40],
  ['one line', ' ', 40],
  ['few that are long', '\n', 7900],
])('no half of a secret is read where an answer was cut: %s', async (_, between, length) => {
  await withOperations(async (room) => {
    await room.ask('registerSession', { key: 'main' });
    for (const shift of [0, 13, 29, 47]) {
      const { id } = await room.start({ ...callback, parentSessionId: 'main' });
      const token = `eyJ${'Q'.repeat(40)}.${'Q'.repeat(length)}.${'Q'.repeat(40)}`;
      const middle = `${token}${between}`.repeat(Math.ceil(100_000 / token.length));
      const content = `head${'-'.repeat(shift)} ${middle}x\ntail`;
      await room.host.play(id, content);
      const { envelope } = (await room.callbacks('main')).find((one) => one.invocationId === id)!;
      expect(envelope).not.toContain('QQQQ');
      expect(envelope).toContain('\nhead');
      expect(envelope).toContain('\ntail\n');
      const cut = /\[… (\d+) bytes left out; the whole answer: get_subagent sub_/.exec(
        envelope,
      )?.[1];
      expect(Number(cut)).toBeGreaterThan(30_000);
      expect(Number(cut)).toBeLessThan(content.length);
    }
  });
});

test('only callbacks of this session can be acknowledged, and the rest is named', async () => {
  await withOperations(async (room) => {
    await room.ask('registerSession', { key: 'main' });
    await room.ask('registerSession', { key: 'other' });
    const { id } = await room.start({ ...callback, parentSessionId: 'main' });
    await room.host.play(id, 'x');
    const [one] = await room.callbacks('main');
    const ids = [one!.id, 'cb_unknown'];
    expect(await refusal(room.ask('ackCallbacks', { key: 'other', ids: [one!.id] }))).toBe(
      'not_found',
    );
    const call = room.ask('ackCallbacks', { key: 'main', ids });
    await expect(call).rejects.toThrow('cb_unknown');
    expect(await room.callbacks('main')).toMatchObject([{ state: 'delivered' }]);
  });
});
