import { expect, test } from '@jest/globals';
import { limits } from '../../contract/limits.ts';
import type { ExportedTurn } from '../../contract/transcripts.ts';
import { watchSession } from '../../operations/index.ts';
import { line, withHooks } from './hooks/hooks-fixture.ts';
import { callerAs, refusal } from './operations-fixture.ts';

test('what a hook told is read and found at once, by the bare key and with session: before it [signet 14]', async () => {
  await withHooks(async (room) => {
    await room.prompt('s1', 'one');
    await room.prompt('s1', 'two', { lastAssistantMessage: 'first' });
    const content = 'User: one\nAssistant: first\nUser: two';
    const { hits } = await room.ask('searchSessions', { query: 'first' });
    expect(hits.map((hit) => [hit.sessionKey, hit.excerpt])).toEqual([['s1', 'first']]);
    for (const key of ['s1', 'session:s1', 'session:session:s1']) {
      expect(await room.ask('getSessionTranscript', { key })).toEqual({
        sessionKey: 's1',
        agentId: 'default',
        content,
      });
    }
    const page = await room.ask('getSessionTranscript', { key: 's1', format: 'turns', limit: 2 });
    expect(page.turns!.map((turn) => turn.text)).toEqual(['one', 'first']);
    const rest = await room.ask('getSessionTranscript', {
      key: 's1',
      format: 'turns',
      after: page.nextAfter!,
    });
    expect([rest.turns!.map((turn) => turn.text), rest.nextAfter]).toEqual([['two'], null]);
  });
});

test('a transcript is read by its own agent; without words there is none', async () => {
  await withHooks(async (room) => {
    await room.prompt('s1', 'mine', { agentId: 'alice' });
    const get = (more: object, caller = room.admin) =>
      refusal(room.ask('getSessionTranscript', { key: 's1', ...more }, caller));
    expect(await get({ agent_id: 'bob' })).toBe('not_found');
    expect(await get({ agent_id: 'alice' })).toBe('not refused');
    const child = room.child((await room.start()).id);
    expect(await get({}, child)).toBe('not_found');
    expect(await get({ agentId: 'alice' }, child)).toBe('forbidden');
    await room.ask('hookSessionStart', { harness: 'x', sessionKey: 's2' });
    expect(await refusal(room.ask('getSessionTranscript', { key: 's2' }))).toBe('not_found');
  });
});

test('a turn says where it is read, and pages stay as they are while turns are told late', async () => {
  await withHooks(async (room) => {
    await room.prompt('s1', 'one');
    await room.prompt('s1', 'two');
    await room.prompt('s1', 'three');
    const read = async (more = {}) => {
      const answer = await room.ask('getSessionTranscript', {
        key: 's1',
        format: 'turns',
        ...more,
      });
      return answer.turns!.map(({ seq, place, text }) => `${seq} ${place} ${text}`);
    };
    expect(await read({ limit: 2 })).toEqual(['1 1 one', '2 2 two']);
    const said = ['user one', 'assistant first', 'user two', 'assistant second', 'user three'];
    const told = said.map((one) => line(...(one.split(' ') as ['user', string])));
    await room.report('s1', told.join(''));
    expect(await read({ after: 2 })).toEqual(['3 5 three', '4 2 first', '5 4 second']);
    expect(await read({ limit: 2 })).toEqual(['1 1 one', '2 3 two']);
    const { hits } = await room.ask('searchSessions', { query: 'first' });
    expect(hits).toMatchObject([{ seq: 4, place: 2, turn: 4 }]);
    // The program goes back, and another way.
    await room.report('s1', [...told.slice(0, 3), line('assistant', 'otherwise')].join(''));
    expect((await read()).slice(0, 5)).toEqual([
      ...['1 1 one', '2 3 two', '3 null three', '4 2 first', '5 null second'],
    ]);
    expect((await read()).at(-1)).toMatch(/^7 \d otherwise$/);
    const gone = await room.ask('searchSessions', { query: 'second' });
    expect(gone.hits).toMatchObject([{ seq: 5, place: null }]);
    for await (const turn of watchSession(room.deps, room.admin, { key: 's1', after: 3 })) {
      expect(turn).toMatchObject({ id: 4, data: { seq: 4, place: 2 } });
      break;
    }
  });
});

test('what is said is read as text beside tools of any length; of too much of it pages are told', () =>
  withHooks(async (room) => {
    const long = 'x'.repeat(limits.pageBytesMax);
    const result = [{ type: 'tool_result', tool_use_id: 't', content: long }];
    const transcript = line('user', 'look') + line('user', result as never);
    await room.report('s1', transcript + line('assistant', 'seen'));
    const read = (key: string) => room.ask('getSessionTranscript', { key });
    expect(await read('s1')).toMatchObject({ content: 'User: look\nAssistant: seen' });
    await room.prompt('s2', `${long}!`);
    await expect(read('s2')).rejects.toMatchObject({
      code: 'transcript_too_large',
      hint: expect.stringContaining('format=turns'),
    });
  }));

test('a live session is followed from any turn on', async () => {
  await withHooks(async (room) => {
    await room.prompt('s1', 'one');
    await room.prompt('s1', 'two');
    const gone = new AbortController();
    const caller = callerAs({ claims: { role: 'admin' }, gone: gone.signal });
    const seen: string[] = [];
    for await (const item of watchSession(room.deps, caller, { key: 's1', after: 1 })) {
      seen.push(`${item.id} ${item.data.text}`);
      if (seen.length === 1) void room.prompt('s1', 'three');
      if (seen.length === 2) gone.abort();
    }
    expect(seen).toEqual(['2 two', '3 three']);
  });
});

test('an export taken in gives the same turns, and a second time nothing', async () => {
  await withHooks(async (room) => {
    for (const text of ['one', 'two']) await room.prompt('s1', text, { extraField: text });
    await room.report('s1', line('user', 'one') + line('assistant', 'first') + line('user', 'two'));
    const { jsonl, nextAfter } = await room.ask('exportSession', { key: 's1' });
    expect(nextAfter).toBeNull();
    const bring = () => room.ask('importSession', { jsonl, agentId: 'other' });
    expect(await bring()).toEqual({ sessionKey: 's1', agentId: 'other', added: 3, known: 0 });
    expect(await bring()).toMatchObject({ added: 0, known: 3 });
    expect(room.said('s1', 'other')).toEqual(['user: one', 'assistant: first', 'user: two']);
    const again = await room.ask('exportSession', { key: 's1', agentId: 'other' });
    expect(again.jsonl.split('\n').slice(1)).toEqual(jsonl.split('\n').slice(1));
    await room.prompt('s1', 'elsewhere', { agentId: 'third' });
    const into = room.ask('importSession', { jsonl, agentId: 'third' });
    expect(await refusal(into)).toBe('parent_conflict');
    expect(await refusal(room.ask('importSession', { jsonl: 'no JSON' }))).toBe('bad_request');
    // A page that comes before the one in front of it.
    const [head, , ...later] = jsonl.split('\n');
    const gap = { jsonl: [head, ...later].join('\n'), agentId: 'fourth' };
    expect(await refusal(room.ask('importSession', gap))).toBe('bad_request');
    expect(room.session('s1', 'fourth')).toBeUndefined();
  });
});

test("an export goes out without secrets, the rest to the byte, and is imported; raw it is an operator's [signet 34]", async () => {
  await withHooks(async (room) => {
    const mine = { key: 's1', agentId: 'default' };
    const secret = `ghp_${'0123456789abcdefghij'.repeat(2)}`;
    const kept = 'in src/a-b/c.ts since 3f786850e387550fdab836ed7e6dc881de23001b';
    const tool = JSON.stringify({
      type: 'assistant',
      message: {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: { cmd: `echo "${secret}"` } }],
      },
    });
    const lines = [line('user', `use ${secret}`), `${tool}\n`, line('assistant', kept)];
    await room.report('s1', lines.join(''), { note: { of: secret }, title: 'x' });
    const turns = (jsonl: string) =>
      jsonl
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((one) => JSON.parse(one) as ExportedTurn);

    const { jsonl } = await room.ask('exportSession', mine);
    expect(jsonl).not.toContain(secret);
    const [asked, called, answered] = turns(jsonl);
    expect(asked).toMatchObject({ text: 'use [redacted GitHub token]' });
    expect(asked!.raw).toBe(line('user', 'use [redacted GitHub token]'));
    expect(JSON.parse(called!.raw!)).toEqual(
      JSON.parse(tool.replace(secret, '[redacted GitHub token]')),
    );
    expect(called!.tools![0]!.text).toContain('[redacted GitHub token]');
    expect(answered).toMatchObject({ text: kept, raw: lines[2] });
    expect(answered!.extra).toMatchObject({ note: { of: '[redacted GitHub token]' } });

    const bring = (text: string, agentId: string) =>
      room.ask('importSession', { jsonl: text, agentId });
    expect(await bring(jsonl, 'default')).toMatchObject({ added: 0, known: 3 });
    expect(await bring(jsonl, 'other')).toMatchObject({ added: 3 });
    expect((await room.ask('exportSession', { key: 's1', agentId: 'other' })).jsonl).toBe(
      jsonl.replace('"agentId":"default"', '"agentId":"other"'),
    );

    const raw = (await room.ask('exportSession', { ...mine, raw: true })).jsonl;
    expect(turns(raw).map((turn) => turn.raw)).toEqual(lines);
    expect(await bring(raw, 'other')).toMatchObject({ added: 0, known: 3 });
    expect(await bring(raw, 'third')).toMatchObject({ added: 3 });
    const again = await room.ask('exportSession', { key: 's1', agentId: 'third', raw: true });
    expect(turns(again.jsonl)).toEqual(turns(raw));

    const asRole = (role: 'readonly' | 'agent' | 'operator') =>
      callerAs({
        claims: {
          ...{ role, agentId: 'default', project: null, permissions: ['recall'] },
          expiresAt: '2999-01-01T00:00:00.000Z',
        },
      });
    const { id } = await room.start({ parentSessionId: 's1', agentId: 'default' });
    for (const who of [asRole('readonly'), asRole('agent'), room.child(id)]) {
      expect(await refusal(room.ask('exportSession', { ...mine, raw: true }, who))).toBe(
        'forbidden',
      );
      expect((await room.ask('exportSession', mine, who)).jsonl).toBe(jsonl);
    }
    const whole = await room.ask('exportSession', { ...mine, raw: true }, asRole('operator'));
    expect(whole.jsonl).toBe(raw);
  });
});

const exported = (head: object) => {
  const about = { offshoot: 'session', version: 1, sessionKey: 's1', agentId: 'default' };
  const none = { harness: null, project: null, title: null, order: null };
  const turn = { role: 'user', at: '2026-01-01T00:00:00.000Z', raw: null, tools: null };
  const turns = ['one', 'two', 'three'].map((text, index) =>
    JSON.stringify({ ...turn, seq: index + 1, text, source: null, extra: null }),
  );
  return `${JSON.stringify({ ...about, ...none, ...head })}\n${turns.join('\n')}\n`;
};

test('what an older export says of its program and folder is kept as it is asked for now', () =>
  withHooks(async (room) => {
    const jsonl = exported({ harness: 'Copilot', project: '/q/', sessionKey: 'session:s1' });
    await room.ask('importSession', { jsonl });
    expect(room.session('s1')).toMatchObject({ harness: 'copilot-cli', project: '/q' });
    for (const asked of [{ harness: 'copilot' }, { project: '/q' }]) {
      expect((await room.ask('listSessions', { ...asked, active: false })).count).toBe(1);
    }
    const found = await room.ask('searchSessions', { query: 'two', project: '/q' });
    expect(found.hits).toHaveLength(1);
  }));

test('an import whose order would tell a turn twice, or has no open end, is refused', () =>
  withHooks(async (room) => {
    const orders = [
      ...[
        [],
        [[1, 2]],
        [[0, null]],
        [
          [2, 1],
          [3, null],
        ],
        [
          [1, null],
          [2, null],
        ],
      ],
      ...[
        [
          [1, 2],
          [2, null],
        ],
        [
          [1, null],
          [2, 3],
        ],
        [
          [4, null],
          [5, 6],
        ],
        [
          [1, 1],
          [1, 1],
          [3, null],
        ],
      ],
    ];
    for (const order of orders) {
      const refused = await refusal(room.ask('importSession', { jsonl: exported({ order }) }));
      expect([order, refused]).toEqual([order, 'bad_request']);
    }
    const order = [
      [3, 3],
      [1, 1],
      [4, null],
    ];
    await room.ask('importSession', { jsonl: exported({ order }) });
    expect(room.said('s1')).toEqual(['user: three', 'user: one']);
  }));
