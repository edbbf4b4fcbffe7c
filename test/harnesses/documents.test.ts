/** Transcripts that are one JSON document: each message is an entry of its own, and all together the document. */
import { expect, test } from '@jest/globals';
import { limits } from '../../contract/limits.ts';
import { parserFor } from '../../harnesses/index.ts';

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

test.each<[string, string]>([
  ['messages', `[${'{"role":"user","content":"a"},'.repeat(limits.transcriptLinesMax)}{}]`],
  ['messages of a document', `{"messages":[${'{},'.repeat(limits.transcriptLinesMax)}{}]}`],
  ['values', `{"role":"user","content":[${'1,'.repeat(limits.jsonValuesMax)}1]}`],
  ['names', `{"role":"user","a":{${'"a":1,'.repeat(limits.jsonValuesMax / 2)}"b":1}}`],
  ['levels', `{"role":"user","content":${'['.repeat(2 * limits.jsonValuesMax)}`],
])('a line of more %s than may be made of it is kept as it is, as one entry', (_, text) => {
  // With no words of its own, whether its line has an end or not: nothing waits for that, and nothing is kept twice.
  for (const raw of [text, `${text}\n`]) {
    const entries = parserFor('openclaw', raw)(raw);
    // Told without its megabytes where it is red.
    expect(entries.map((entry) => [entry.role, entry.text.length, entry.raw === raw])).toEqual([
      ['mark', 0, true],
    ]);
  }
});

test('of as many messages as may be each is an entry of its own', () => {
  const text = `[${'{"role":"user","content":"a"},'.repeat(limits.transcriptLinesMax - 1)}{}]`;
  const entries = parserFor('openclaw', text)(text);
  expect(entries.filter(({ role }) => role === 'user')).toHaveLength(limits.transcriptLinesMax - 1);
});
