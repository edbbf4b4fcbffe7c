/** Formats and records that no capture holds: written down from the programs' documentation. */
import { expect, test } from '@jest/globals';
import type { TranscriptEntry } from '../../contract/transcript.ts';
import { parserFor } from '../../harnesses/index.ts';

test.each<[string, unknown[], string[]]>([
  [
    'claude-code',
    [
      { type: 'user', message: { role: 'user', content: 'hello' } },
      { type: 'system', subtype: 'compact_boundary', content: 'Conversation compacted' },
      { type: 'user', isCompactSummary: true, message: { content: 'We had said hello.' } },
      { type: 'user', isMeta: true, message: { content: 'Caveat: …' } },
      {
        type: 'user',
        message: { content: [{ type: 'text', text: '<system-reminder>\nx' }, { text: 'and?' }] },
      },
      { type: 'assistant', message: { content: [{ type: 'thinking', thinking: 'hm' }] } },
      {
        type: 'user',
        message: {
          content: [
            { type: 'tool_result', tool_use_id: 't', is_error: true, content: [{ type: 'image' }] },
          ],
        },
      },
      { type: 'user', message: { content: '<local-command-stdout>done</local-command-stdout>' } },
    ],
    [
      'user hello',
      'mark Conversation compacted',
      'mark compacted: We had said hello.',
      'mark ',
      'user and?',
      'mark ',
      'tool [image] (t failed)',
      'mark <local-command-stdout>done</local-command-stdout>',
    ],
  ],
  [
    'codex',
    [
      { type: 'compacted', payload: { message: 'All of it in short.' } },
      {
        type: 'response_item',
        payload: { type: 'message', role: 'user', content: [{ text: 'hi' }] },
      },
      { type: 'response_item', payload: { type: 'reasoning', summary: [{ text: 'hm' }] } },
      {
        type: 'response_item',
        payload: {
          type: 'custom_tool_call',
          call_id: 'c',
          name: 'apply_patch',
          input: '*** Begin',
        },
      },
      {
        type: 'response_item',
        payload: {
          type: 'custom_tool_call_output',
          call_id: 'c',
          output: { content: 'no such file', success: false },
        },
      },
    ],
    [
      'mark compacted: All of it in short.',
      'user hi',
      'mark ',
      'tool apply_patch *** Begin (c)',
      'tool no such file (c failed)',
    ],
  ],
  [
    'openclaw',
    [
      { type: 'session', version: 3, id: 's', timestamp: '2026-01-01T00:00:00Z' },
      {
        type: 'message',
        id: 'm',
        message: { role: 'user', content: 'hi', timestamp: 1_700_000_000_000 },
      },
      {
        type: 'message',
        message: {
          role: 'assistant',
          content: [{ type: 'toolCall', id: 'c', name: 'exec', arguments: {} }],
        },
      },
      {
        type: 'message',
        message: {
          role: 'toolResult',
          toolCallId: 'c',
          toolName: 'exec',
          content: [{ text: 'ok' }],
        },
      },
      { type: 'compaction', summary: 'In short.' },
      { type: 'custom', customType: 'model-snapshot' },
    ],
    ['mark ', 'user hi', 'tool exec {} (c)', 'tool ok (c)', 'mark compacted: In short.', 'mark '],
  ],
  [
    'opencode',
    [
      {
        info: { id: 'm', role: 'user', time: { created: 1_700_000_000_000 } },
        parts: [
          { type: 'text', text: 'hi' },
          { type: 'text', synthetic: true, text: 'beside it' },
        ],
      },
      {
        info: { role: 'assistant' },
        parts: [
          { type: 'text', text: 'working' },
          { type: 'tool', tool: 'bash', callID: 'c', state: { status: 'error', error: 'no' } },
        ],
      },
    ],
    ['user hi', 'assistant working (c) (c failed)'],
  ],
  [
    'gemini-cli',
    [
      { type: 'info', content: 'Chat compressed.' },
      {
        type: 'gemini',
        content: '',
        toolCalls: [{ id: 'c', name: 'shell', args: 'ls', status: 'error', result: 'no' }],
      },
    ],
    ['mark Chat compressed.', 'tool shell ls\nno (c) (c failed)'],
  ],
  [
    'a program of tomorrow',
    [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: [{ type: 'text', text: 'you' }] },
    ],
    ['user hi', 'assistant you'],
  ],
])('records of %s are read as they are meant', (harness, records, expected) => {
  const text = records.map((record) => `${JSON.stringify(record)}\n`).join('');
  expect(parserFor(harness, text)(text).map(shown)).toEqual(expected);
});

const messages = [
  { info: { role: 'user' }, parts: [{ type: 'text', text: 'a "quoted\\" ]} thing' }] },
  { info: { role: 'assistant' }, parts: [{ type: 'text', text: 'messages: [1, {' }] },
];

test.each([
  ['a list on one line', JSON.stringify(messages)],
  ['a list in many lines', JSON.stringify(messages, null, 2)],
  ['a document in many lines', JSON.stringify({ info: { id: 's' }, messages }, null, 2)],
  ['a document on one line', JSON.stringify({ info: { messages: [] }, messages, more: 1 })],
])('%s holds each message verbatim in an entry of its own', (_, text) => {
  const entries = parserFor('opencode', text)(text);
  expect(entries.map((entry) => entry.raw).join('')).toBe(text);
  const spoken = entries.filter((entry) => entry.role !== 'mark');
  expect(spoken.map((entry) => entry.text)).toEqual(messages.map(({ parts }) => parts[0]?.text));
  const raws = spoken.map((entry): unknown => JSON.parse(entry.raw.replace(/^\s*,/, '')));
  expect(raws).toEqual(messages);
});

test('a message cut off in the middle of a document is kept with what there is of it', () => {
  const text = JSON.stringify(messages, null, 2).slice(0, -20);
  const entries = parserFor('opencode', text)(text);
  expect(entries.map((entry) => entry.raw).join('')).toBe(text);
  expect(entries.map(({ role }) => role)).toEqual(['mark', 'user', 'mark']);
  expect(entries.at(-1)?.text).toContain('messages: [1, {');
});

test('a document of one message more goes on where the shorter one ended', () => {
  const [short, long] = [messages.slice(0, 1), messages].map((list) => JSON.stringify(list));
  const before = parserFor('opencode', short ?? '')(short ?? '');
  const after = parserFor('opencode', long ?? '')(long ?? '');
  expect(after.slice(0, before.length - 1)).toEqual(before.slice(0, -1));
});

test('plain text has one entry for each thing said, however many lines it has', () => {
  const text = 'User: look at\n{"a": 1}\n\nAssistant: it is\nuser: postgres\n\nTool: ok\nUser:\n';
  const entries = parserFor('claude-code', text)(text);
  expect(entries.map(shown)).toEqual([
    'user look at\n{"a": 1}',
    'assistant it is\nuser: postgres',
    'tool ok',
    'mark ',
  ]);
  expect(entries.map((entry) => entry.raw).join('')).toBe(text);
});

test('a record that cannot be read is a mark with its words, and the next is read', () => {
  const text =
    '{"type":"user","message":{"content":"a"}}\n{"type":"us\nwhat\n{"type":"user","message":{"content":"b"}}';
  expect(parserFor('claude', text)(text).map(shown)).toEqual([
    'user a',
    'mark {"type":"us',
    'mark what',
    'user b',
  ]);
});

test('a name that objects have by themselves is no program', () => {
  expect(parserFor('constructor', 'User: hi')('User: hi').map(shown)).toEqual(['user hi']);
  expect(parserFor('', '')('')).toEqual([]);
});

test.each([
  ['2026-01-02T03:04:05+01:00', '2026-01-02T02:04:05.000Z'],
  [1_700_000_000, '2023-11-14T22:13:20.000Z'],
  [1_700_000_000_123, '2023-11-14T22:13:20.123Z'],
  ['yesterday', null],
  [1e300, null],
  [null, null],
])('the time %j is told as %j', (timestamp, at) => {
  const text = JSON.stringify({ type: 'user', timestamp, message: { content: 'x' } });
  expect(parserFor('claude-code', text)(text).map((entry) => entry.at)).toEqual([at]);
});

function shown({ role, text, tools }: TranscriptEntry): string {
  const uses = tools.map((use) => ` (${use.id ?? ''}${use.isError ? ' failed' : ''})`);
  return `${role} ${text}${uses.join('')}`;
}
