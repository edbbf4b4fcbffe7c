/** Transcripts that are one JSON document: each message is an entry of its own, and all together the document. */
import { expect, test } from '@jest/globals';
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
