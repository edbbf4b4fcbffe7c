/** One body for each operation that takes one, and what an answer leads to: for readers, and for tools that try. */
import type { OperationName } from '../contract/operations.ts';
import type { JsonObject } from './json-schema.ts';

export const bodyExamples: Partial<Record<OperationName, JsonObject>> = {
  runSubagent: { runnerId: 'demo', prompt: 'say hello', executionMode: 'SYNC' },
  waitSubagents: { ids: ['sub_1f0c8d2b9a7e6f5d4c3b'], until: 'all', waitSeconds: 50 },
  cancelSubagent: { reason: 'no longer needed' },
  sendToSubagent: { prompt: 'say goodbye' },
  registerSession: { harness: 'claude-code', title: 'Release 1.4' },
  hookSessionStart: {
    harness: 'claude-code',
    sessionKey: 'session-uuid',
    project: '/workspace/repo',
  },
  hookUserPromptSubmit: {
    harness: 'claude-code',
    sessionKey: 'session-uuid',
    userMessage: 'How do I set up dark mode?',
    lastAssistantMessage: 'Earlier we discussed using CSS variables for theme tokens.',
  },
  hookSessionEnd: { harness: 'claude-code', sessionKey: 'session-uuid', reason: 'exit' },
  hookPreCompaction: { harness: 'claude-code', sessionKey: 'session-uuid' },
  hookCompactionComplete: {
    harness: 'claude-code',
    sessionKey: 'session-uuid',
    summary: 'Session covered dark mode setup and vim configuration.',
  },
  hookSessionCheckpointExtract: { harness: 'openclaw', sessionKey: 'agent:main:main' },
  hookSubagentStart: {
    harness: 'claude-code',
    sessionKey: 'session-uuid',
    harnessAgentId: 'a1b2c3',
    agentType: 'Explore',
  },
  hookSubagentStop: {
    harness: 'claude-code',
    sessionKey: 'session-uuid',
    harnessAgentId: 'a1b2c3',
  },
  hookStop: {
    harness: 'claude-code',
    sessionKey: 'session-uuid',
    lastAssistantMessage: 'Dark mode is set up.',
  },
  importSession: { jsonl: '{"offshoot":"session","version":1,…}' },
  bypassSession: { enabled: true },
  createToken: { role: 'agent', agentId: 'alice', ttlSeconds: 86_400 },
  putAgent: { name: 'Alice', readPolicy: 'isolated' },
  writeCheckpoint: { summary: 'We are cutting release 1.4; the tag is set.' },
  putEntity: {
    type: 'project',
    aliases: ['the release'],
    aspects: [
      {
        name: 'rules',
        attributes: [{ kind: 'constraint', content: 'No tag before the tests are green.' }],
      },
    ],
  },
  searchSessions: { query: 'trunk ports', currentSessionKey: 'agent:main:subagent:1', limit: 5 },
  ackCallbacks: { ids: ['cb_1f0c8d2b9a7e6f5d4c3b'] },
};

/** Where to go on from an accepted invocation, or from a registered session. */
const ofInvocation = linksTo('id', '$response.body#/id', [
  'getSubagent',
  'cancelSubagent',
  'sendToSubagent',
  'getTranscript',
  'watchSubagent',
  'deleteSubagent',
]);
const ofSession = linksTo('key', '$response.body#/sessionKey', [
  'getTree',
  'getCallbacks',
  'getContext',
  'getSession',
  'bypassSession',
  'renewSession',
  'writeCheckpoint',
  'deleteSession',
]);

export const answerLinks: Partial<Record<OperationName, JsonObject>> = {
  runSubagent: ofInvocation,
  sendToSubagent: ofInvocation,
  registerSession: ofSession,
};

function linksTo(
  parameter: string,
  from: string,
  names: (OperationName | 'watchSubagent')[],
): JsonObject {
  const link = (operationId: string) => [
    operationId,
    { operationId, parameters: { [parameter]: from } },
  ];
  return Object.fromEntries(names.map(link));
}
