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
      {
        type: 'user',
        isSynthetic: true,
        parent_tool_use_id: 'of a sub-agent',
        message: { content: 'This session is being continued from a previous conversation' },
      },
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
      { type: 'user', message: { content: '<local-command-caveat>by hand' } },
      {
        type: 'assistant',
        message: { content: [{ type: 'server_tool_use', id: 'w', name: 'search', input: 'x' }] },
      },
    ],
    [
      'user hello',
      'mark ',
      'mark compacted: We had said hello.',
      'mark This session is being continued from a previous conversation',
      'mark ',
      'user and?',
      'mark ',
      'tool [image] (t failed)',
      'mark <local-command-stdout>done</local-command-stdout>',
      'mark <local-command-caveat>by hand',
      'tool search x (w)',
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
      {
        type: 'response_item',
        payload: {
          type: 'message',
          role: 'user',
          content: [{ text: '<environment_context>\ncwd' }, { text: 'and?' }],
        },
      },
      {
        type: 'response_item',
        payload: {
          type: 'message',
          role: 'user',
          content: [{ text: 'a child has ended' }],
          internal_chat_message_metadata_passthrough: { content_item_kinds: ['multi_agent.x'] },
        },
      },
      {
        type: 'response_item',
        payload: { type: 'local_shell_call', call_id: 's', action: ['ls'] },
      },
      { type: 'response_item', payload: { type: 'web_search_call', id: 'w', action: 'x' } },
    ],
    [
      'mark compacted: All of it in short.',
      'user hi',
      'mark ',
      'tool apply_patch *** Begin (c)',
      'tool no such file (c failed)',
      'user and?',
      'mark a child has ended',
      'tool local_shell_call ["ls"] (s)',
      'tool web_search_call x (w)',
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
      { type: 'branch_summary', summary: 'The other way.' },
      { type: 'custom', customType: 'model-snapshot' },
    ],
    [
      'mark ',
      'user hi',
      'tool exec {} (c)',
      'tool ok (c)',
      'mark compacted: In short.',
      'mark compacted: The other way.',
      'mark ',
    ],
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
      {
        type: 'user',
        content: [{ text: '<session_context>\nx' }, { text: '<loaded_context>' }, { text: 'hi' }],
      },
      { type: 'gemini', content: [{ text: 'hm', thought: true }, { text: 'you' }] },
      {
        type: 'gemini',
        toolCalls: [
          geminiCall('d', 'cancelled', { output: 'half' }),
          geminiCall('e', 'success', { error: 'gone' }),
          geminiCall('f', 'success', { output: 'whole' }),
        ],
      },
      { type: 'user', content: [{ functionResponse: { id: 'f', response: { output: 'whole' } } }] },
    ],
    [
      'mark Chat compressed.',
      'tool shell ls\nno (c) (c failed)',
      'user hi',
      'assistant you',
      'tool shell ls\nhalf\nshell ls\ngone\nshell ls\nwhole (d) (d failed) (e) (e failed) (f) (f)',
      'mark ',
    ],
  ],
  [
    'copilot-cli',
    [
      { type: 'user.message', data: { content: 'hi' } },
      {
        type: 'assistant.message',
        data: { content: '', toolRequests: [{ toolCallId: 'c', name: 'bash', arguments: 'ls' }] },
      },
      {
        type: 'tool.execution_complete',
        data: { toolCallId: 'c', success: false, error: { message: 'no such command' } },
      },
      { type: 'session.compaction_complete', data: { summaryContent: 'In short.' } },
      { type: 'system.message', agentId: 'a', data: { content: 'You are a child.' } },
      { type: 'assistant.message', agentId: 'a', data: { content: 'of a child' } },
    ],
    [
      'user hi',
      'tool bash ls (c)',
      'tool no such command (c failed)',
      'mark compacted: In short.',
      'mark ',
      'mark of a child',
    ],
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

test('plain text has one entry for each thing said, however many lines it has', () => {
  const text =
    'User: look at\n{"a": 1}\n\nAssistant: it is\nuser: postgres\n\nTool: ok\nUser:\nHuman: so\nSystem: noted\n';
  const entries = parserFor('claude-code', text)(text);
  expect(entries.map(shown)).toEqual([
    'user look at\n{"a": 1}',
    'assistant it is\nuser: postgres',
    'tool ok',
    'mark ',
    'user so',
    'mark noted',
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

function geminiCall(id: string, status: string, response: object) {
  return {
    id,
    name: 'shell',
    args: 'ls',
    status,
    result: [{ functionResponse: { id, response } }],
  };
}

function shown({ role, text, tools }: TranscriptEntry): string {
  const uses = tools.map((use) => ` (${use.id ?? ''}${use.isError ? ' failed' : ''})`);
  return `${role} ${text}${uses.join('')}`;
}
