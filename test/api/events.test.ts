import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { WatchItem } from '../../api/deps.ts';
import { createDataEncoder, eventStream } from '../../api/event-stream.ts';
import { AppError } from '../../contract/errors.ts';
import type { Turn } from '../../contract/records.ts';
import { signToken } from '../../domain/token.ts';
import type { Caller } from '../../operations/caller.ts';
import { fakeApi, record, secret, tokens } from './api-fixture.ts';

const path = '/api/subagents/sub_1/events';

function turn(seq: number): WatchItem {
  const data: Turn = {
    seq,
    role: 'stdout',
    at: '2026-10-01T10:00:00.000Z',
    text: `line ${seq}\nsecond line`,
    invocationId: 'sub_1',
    runNo: 1,
    late: false,
  };
  return { id: seq, event: 'turn', data };
}

async function* turnsAfter(after: number): AsyncGenerator<WatchItem> {
  for (let seq = after + 1; seq <= 3; seq += 1) yield turn(seq);
  yield { id: 3, event: 'end', data: record() };
}

test('turns come with their number as id, then the end with the record', async () => {
  const api = fakeApi({ watch: (_caller, { after }) => turnsAfter(after) });
  const response = await api.ask('GET', path);
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  const frames = (await response.text()).trim().split('\n\n').slice(1);
  expect(frames.map((frame) => frame.split('\n').slice(0, 2))).toEqual([
    ['id: 1', 'event: turn'],
    ['id: 2', 'event: turn'],
    ['id: 3', 'event: turn'],
    ['id: 3', 'event: end'],
  ]);
  const data = frames.map((frame) => JSON.parse(frame.split('\n')[2]?.slice(6) ?? '') as object);
  expect(data).toEqual([turn(1).data, turn(2).data, turn(3).data, record()]);
});

test('a session is followed in the same way, for the agent that is named', async () => {
  const asked: unknown[] = [];
  const api = fakeApi({
    watchSession: (_caller, request) => {
      asked.push(request);
      return turnsAfter(request.after);
    },
  });
  const response = await api.ask('GET', '/api/sessions/session:s1/events?agent_id=alice', {
    headers: { 'last-event-id': '2' },
  });
  const frames = (await response.text()).trim().split('\n\n').slice(1);
  expect(frames[0]!.split('\n').slice(0, 2)).toEqual(['id: 3', 'event: turn']);
  expect(asked).toEqual([{ key: 's1', agentId: 'alice', after: 2 }]);
  expect(api.asked).toMatchObject([{ name: 'getSessionTranscript' }]);
});

test.each([
  ['?after=2', {}, 2],
  ['', { 'last-event-id': '2' }, 2],
  ['?after=1', { 'Last-Event-ID': '2' }, 2],
  ['?after=3', { 'Last-Event-ID': '2' }, 3],
])('a reader that comes back with %j and %j gets what it missed', async (query, headers, after) => {
  const asked: number[] = [];
  const api = fakeApi({
    watch: (_caller, request) => {
      asked.push(request.after);
      return turnsAfter(request.after);
    },
  });
  const text = await (await api.ask('GET', path + query, { headers })).text();
  expect(asked).toEqual([after]);
  expect(text.match(/event: turn/g)?.length ?? 0).toBe(3 - after);
});

test('an id that is not there, or not allowed, is answered as a problem, not as a stream', async () => {
  for (const code of ['not_found', 'forbidden'] as const) {
    const api = fakeApi({
      run: () => {
        throw new AppError(code, 'no');
      },
    });
    const response = await api.ask('GET', path);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(await response.json()).toMatchObject({ code });
  }
});

test.each(['?after=x', '?after=-1', '?colour=red'])('%s is refused', async (query) => {
  expect((await fakeApi().ask('GET', path + query)).status).toBe(400);
});

test('a reader that leaves ends the watch, also while it waits for the next turn', async () => {
  let isOver = false;
  const api = fakeApi({
    watch: async function* (caller) {
      try {
        yield turn(1);
        await new Promise((resolve) => caller.gone.addEventListener('abort', resolve));
      } finally {
        isOver = true;
      }
    },
  });
  const response = await api.ask('GET', path);
  const reader = response.body?.getReader();
  await reader?.read();
  await reader?.read();
  await sleep(10);
  expect(isOver).toBe(false);
  await reader?.cancel();
  expect(isOver).toBe(true);
});

/** Turns without an end, until the caller has gone: as the real watches do it. */
async function* untilGone(caller: Caller): AsyncGenerator<WatchItem> {
  yield turn(1);
  await new Promise((resolve) => caller.gone.addEventListener('abort', resolve));
}

const readerToken = (expiresInMs: number) =>
  signToken(secret, {
    role: 'readonly',
    agentId: 'alice',
    project: null,
    permissions: ['recall'],
    expiresAt: new Date(Date.now() + expiresInMs).toISOString(),
  });

test.each([path, '/api/sessions/s1/events'])('%s ends when its token does', async (where) => {
  const api = fakeApi({ watch: untilGone, watchSession: untilGone });
  const from = Date.now();
  const response = await api.ask('GET', where, { token: readerToken(300) });
  const reader = response.body!.getReader();
  const toTheEnd = async () => {
    while (!(await reader.read()).done);
    return 'ended';
  };
  const how = await Promise.race([toTheEnd(), sleep(3000, 'open')]);
  await reader.cancel();
  expect(how).toBe('ended');
  expect(Date.now() - from).toBeGreaterThanOrEqual(299);
  expect((await api.ask('GET', where, { token: readerToken(-1) })).status).toBe(401);
});

test('a token that holds for longer than a timer can does not end its streams at once', async () => {
  const api = fakeApi({ watch: untilGone });
  const response = await api.ask('GET', path, { token: readerToken(300 * 24 * 3_600_000) });
  const reader = response.body!.getReader();
  for (let read = 0; read < 3; read += 1) await reader.read();
  const next = reader.read().then(() => 'ended');
  expect(await Promise.race([next, sleep(50, 'open')])).toBe('open');
  await reader.cancel();
});

test('a failing watch tells the reader and the log, and shows nothing of the inside', async () => {
  const api = fakeApi({
    watch: async function* () {
      yield turn(1);
      throw new Error('database at /secret/place');
    },
  });
  const text = await (await api.ask('GET', path)).text();
  expect(text).toContain('event: problem\ndata: {"code":"internal"');
  expect(text).not.toContain('secret');
  expect(api.logged.length).toBe(1);
});

test('a slow reader makes the source wait', async () => {
  let made = 0;
  async function* flood(): AsyncGenerator<WatchItem> {
    for (;;) {
      made += 1;
      yield turn(made);
    }
  }
  const stream = eventStream(flood(), quiet(60_000));
  const reader = stream.getReader();
  await reader.read();
  await sleep(20);
  expect(made).toBeLessThanOrEqual(2);
  for (let read = 0; read < 10; read += 1) await reader.read();
  await sleep(20);
  expect(made).toBeLessThanOrEqual(12);
  await reader.cancel();
});

test('silence is broken by comments, and no turn is lost or doubled by them', async () => {
  async function* slow(): AsyncGenerator<WatchItem> {
    for (const seq of [1, 2]) {
      await sleep(60);
      yield turn(seq);
    }
  }
  const text = await new Response(eventStream(slow(), quiet(15))).text();
  expect(text.match(/^: still here$/gm)?.length).toBeGreaterThanOrEqual(3);
  expect(text.match(/^id: .*$/gm)).toEqual(['id: 1', 'id: 2']);
});

test('a child may watch too, and says who it is', async () => {
  const claims: string[] = [];
  const api = fakeApi({
    watch: (caller) => {
      claims.push(caller.claims.role);
      return turnsAfter(0);
    },
  });
  await (await api.ask('GET', path, { token: tokens.child })).text();
  expect(claims).toEqual(['child']);
});

test('what many are told is put into JSON once, for all of them', () => {
  const encode = createDataEncoder();
  const { data } = turn(1);
  expect(encode(data)).toBe(encode(data));
  expect(new TextDecoder().decode(encode(data))).toBe(`data: ${JSON.stringify(data)}\n\n`);
  expect(encode(turn(1).data)).not.toBe(encode(data));
});

function quiet(heartbeatMs: number) {
  return {
    encodeData: createDataEncoder(),
    heartbeatMs,
    onClose: () => undefined,
    onFailure: (error: unknown) => error,
  };
}
