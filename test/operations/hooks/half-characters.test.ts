/** Programs cut texts by their length, and so in the middle of a character. What was said counts once all the same. */
import { expect, test } from '@jest/globals';
import { userPromptSubmitSchema } from '../../../contract/hooks.ts';
import type { OperationInput } from '../../../contract/operations.ts';
import { refusal } from '../operations-fixture.ts';
import { line, withHooks, type HookRoom } from './hooks-fixture.ts';

const cut = 'here is the list: \ud83d';
const kept = 'here is the list: \ufffd';

async function thrice(tell: () => Promise<unknown>): Promise<void> {
  for (let times = 0; times < 3; times += 1) await tell();
}

test('a prompt, an answer, a summary and marks that end in half a character are each a turn once', () =>
  withHooks(async (room) => {
    const same = { harness: 'claude-code\udc00', sessionKey: 's1' };
    await thrice(() => room.prompt('s1', cut));
    await thrice(() => room.ask('hookStop', { ...same, lastAssistantMessage: cut }));
    await thrice(() => room.ask('hookCompactionComplete', { ...same, summary: cut }));
    await thrice(() => room.ask('hookSessionEnd', { ...same, reason: '\ud83d' }));
    await thrice(() => room.ask('hookSessionStart', { ...same, source: '\ud83d', title: cut }));
    expect(room.said('s1')).toEqual([`user: ${kept}`, `assistant: ${kept}`]);
    const marks = room.all('s1').filter((turn) => turn.startsWith('mark'));
    expect(marks).toHaveLength(new Set(marks).size);
    expect(marks).toHaveLength(3);
    expect(room.session('s1')!.title).toBe(kept);
  }));

test('what no hook knows is kept with its turn as the store holds it, names included', () =>
  withHooks(async (room) => {
    await room.prompt('s1', 'hello', { model: { 'na\ud83dme': [cut] }, mode: 'plan' });
    const { extra } = room.store.db.get<{ extra: string }>('SELECT extra FROM turns')!;
    expect(JSON.parse(extra)).toEqual({ model: { 'na\ufffdme': [kept] }, mode: 'plan' });
  }));

test('a folder or transcript whose name is no UTF-8 keeps nothing from being heard; an id is refused', () =>
  withHooks(async (room) => {
    await room.prompt('s1', 'one', { cwd: '/w/\udcff' });
    expect(room.session('s1')!.project).toBe('/w/\ufffd');
    await room.prompt('s1', 'two', { transcriptPath: `${room.home}/staging/\udcff` });
    expect(room.said('s1')).toEqual(['user: one', 'user: two']);
    const other = { harness: 'x', sessionKey: 's\udcff', userMessage: 'one' };
    expect(userPromptSubmitSchema.safeParse(other).success).toBe(false);
  }));

const claude = {
  say: (role: 'user' | 'assistant', text: string) => line(role, text),
  note: '{"type":"system"}\n',
};
const plain = {
  say: (role: 'user' | 'assistant', text: string) =>
    `${role === 'user' ? 'User' : 'Assistant'}: ${text}\n`,
  note: 'System: begun\n',
};

test.each([
  ['of records', claude],
  ['of plain text', plain],
])(
  'a transcript %s with half characters tells nothing twice, and leaves no branch',
  (_, { say, note }) =>
    withHooks(async (room) => {
      await room.prompt('s1', cut);
      await room.report('s1', say('user', cut) + say('assistant', `Thanks, ${cut}`));
      await room.ask('hookStop', {
        harness: 'claude-code',
        sessionKey: 's1',
        lastAssistantMessage: `Thanks, ${cut}`,
      });
      const whole =
        say('user', cut) + say('assistant', `Thanks, ${cut}`) + say('user', 'and what comes then?');
      await thrice(() => room.report('s1', note + whole));
      const told = [`user: ${kept}`, `assistant: Thanks, ${kept}`, 'user: and what comes then?'];
      expect(room.said('s1')).toEqual(told);
      expect(room.all('s1').filter((turn) => turn.includes('branch'))).toEqual([]);
    }),
);

test('a file of records with half characters is taken once, its lines as they are and its tools as words', () =>
  withHooks(async (room) => {
    const use = { type: 'tool_use', id: 't\ud83d', name: 'Read', input: { file: cut } };
    const lines =
      line('user', cut) +
      `${JSON.stringify({ type: 'assistant', message: { content: [{ type: 'text', text: cut }, use] } })}\n`;
    const path = room.stage('s1.jsonl', lines);
    const stop = { harness: 'claude-code', sessionKey: 's1', lastAssistantMessage: cut };
    await room.prompt('s1', cut);
    await thrice(() => room.ask('hookStop', { ...stop, transcriptPath: path }));
    expect(room.said('s1')).toEqual([`user: ${kept}`, `assistant: ${kept}`]);
    const rows = room.store.db.all<{ raw: string; tools: string | null }>(
      'SELECT raw, tools FROM turns ORDER BY seq',
    );
    expect(rows.map(({ raw }) => raw).join('')).toBe(lines);
    expect(JSON.parse(rows[1]!.tools!)).toMatchObject([{ id: 't\ufffd', name: 'Read' }]);
  }));

const head = {
  ...{ offshoot: 'session', version: 1, sessionKey: 'imported', agentId: 'default' },
  ...{ harness: null, project: null, title: cut, order: null },
};
const turn = {
  ...{ seq: 1, role: 'user', at: '2026-03-08T10:00:00.000Z', source: 'hook', text: cut },
  ...{ raw: cut, tools: null, extra: { more: cut } },
};
const imported = (room: HookRoom, ...lines: object[]) =>
  room.ask('importSession', {
    jsonl: lines.map((one) => JSON.stringify(one)).join('\n'),
  } satisfies OperationInput<'importSession'>);

test('a line with half a character is imported once, and comes out as it went in', () =>
  withHooks(async (room) => {
    expect(await imported(room, head, turn)).toMatchObject({ added: 1, known: 0 });
    expect(await imported(room, head, turn)).toMatchObject({ added: 0, known: 1 });
    expect(room.said('imported')).toEqual([`user: ${kept}`]);
    const out = { key: 'imported', raw: true };
    const { jsonl } = await room.ask('exportSession', out);
    expect(JSON.parse(jsonl.split('\n')[1]!)).toEqual({
      ...turn,
      ...{ text: kept, raw: kept, extra: { more: kept } },
    });
    const again = await room.ask('importSession', { jsonl, agentId: 'other' });
    expect(again).toMatchObject({ added: 1 });
    expect((await room.ask('exportSession', { ...out, agentId: 'other' })).jsonl).toBe(
      jsonl.replace('"agentId":"default"', '"agentId":"other"'),
    );
  }));

test('a turn is imported with its time in UTC, in the form in which all times are compared', () =>
  withHooks(async (room) => {
    await imported(room, head, { ...turn, at: '2026-03-08T10:00:00.1234567+02:00' });
    const { at } = room.store.db.get<{ at: string }>('SELECT at FROM turns')!;
    expect(at).toBe('2026-03-08T08:00:00.123Z');
    const bad = { ...turn, seq: 2, at: '9999-12-31T23:59:59-23:59' };
    expect(await refusal(imported(room, head, bad))).toBe('bad_request');
  }));
