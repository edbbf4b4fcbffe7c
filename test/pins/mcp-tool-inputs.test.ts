/** What models give to each tool. Wording may change without a red pin, shapes may not. */
import { expect, test } from '@jest/globals';
import { toolSchemas } from '../../mcp/tool-schema.ts';
import { tools } from '../../mcp/tools.ts';
import { withoutWords } from './without-words.ts';

const pinned: Record<string, object> = {
  runSubagent: {
    type: 'object',
    properties: {
      runnerId: { type: 'string', minLength: 1, maxLength: 200 },
      prompt: { type: 'string' },
      executionMode: {
        default: 'SYNC',
        type: 'string',
        enum: ['SYNC', 'ASYNC_POLL', 'ASYNC_CALLBACK'],
      },
      parentSessionId: { type: 'string', minLength: 1, maxLength: 200 },
      agentId: { type: 'string', minLength: 1, maxLength: 200 },
      context: {
        default: {},
        type: 'object',
        properties: {
          workspacePath: { type: 'string', minLength: 1, maxLength: 4096 },
          specId: { type: 'string', minLength: 1, maxLength: 200 },
          files: {
            maxItems: 1000,
            type: 'array',
            items: { type: 'string', minLength: 1, maxLength: 4096 },
          },
          env: { type: 'object', additionalProperties: { type: 'string', maxLength: 32768 } },
        },
        additionalProperties: false,
      },
      title: { type: 'string', minLength: 1, maxLength: 200 },
      waitSeconds: { type: 'number', minimum: 0, maximum: 86400 },
      limits: {
        default: {},
        type: 'object',
        properties: {
          maxDepth: { type: 'integer', minimum: 0, maximum: 20 },
          maxChildren: { type: 'integer', minimum: 0, maximum: 500 },
          wallSeconds: { type: 'number', minimum: 1, maximum: 2592000 },
        },
        additionalProperties: false,
      },
      detached: { default: false, type: 'boolean' },
    },
    required: ['runnerId', 'prompt'],
    additionalProperties: false,
  },
  wait_subagents: {
    type: 'object',
    properties: {
      ids: {
        minItems: 1,
        maxItems: 200,
        type: 'array',
        items: { type: 'string', minLength: 1, maxLength: 200 },
      },
      until: { default: 'all', type: 'string', enum: ['any', 'all'] },
      waitSeconds: { type: 'number', minimum: 0, maximum: 86400 },
    },
    required: ['ids'],
    additionalProperties: false,
  },
  get_subagent: {
    type: 'object',
    properties: {
      id: { type: 'string', minLength: 1, maxLength: 200 },
      offset: { type: 'integer', minimum: 0 },
    },
    required: ['id'],
    additionalProperties: false,
  },
  list_subagents: {
    type: 'object',
    properties: {
      runnerId: { type: 'string', minLength: 1, maxLength: 200 },
      status: {
        type: 'string',
        enum: [
          'pending',
          'running',
          'waiting',
          'input_required',
          'completed',
          'failed',
          'cancelled',
          'timed_out',
        ],
      },
      executionMode: { type: 'string', enum: ['SYNC', 'ASYNC_POLL', 'ASYNC_CALLBACK'] },
      specId: { type: 'string', minLength: 1, maxLength: 200 },
      parentSessionId: { type: 'string', minLength: 1, maxLength: 200 },
      rootSessionId: { type: 'string', minLength: 1, maxLength: 200 },
      agentId: { type: 'string', minLength: 1, maxLength: 200 },
      since: { type: 'string', format: 'date-time' },
      until: { type: 'string', format: 'date-time' },
      limit: { default: 20, type: 'integer', minimum: 1, maximum: 100 },
      cursor: { type: 'string', minLength: 1, maxLength: 200 },
      scope: { default: 'own', type: 'string', enum: ['own', 'all'] },
    },
    additionalProperties: false,
  },
  cancel_subagent: {
    type: 'object',
    properties: {
      id: { type: 'string', minLength: 1, maxLength: 200 },
      reason: { type: 'string', maxLength: 200 },
    },
    required: ['id'],
    additionalProperties: false,
  },
  get_callbacks: {
    type: 'object',
    properties: {
      agentId: { type: 'string', minLength: 1, maxLength: 200 },
      status: {
        default: 'open',
        type: 'string',
        enum: ['open', 'queued', 'handed', 'delivered', 'undelivered', 'all'],
      },
      after: { type: 'string', minLength: 1, maxLength: 200 },
      sessionKey: { type: 'string', minLength: 1, maxLength: 200 },
      ack: {
        minItems: 1,
        maxItems: 200,
        type: 'array',
        items: { type: 'string', minLength: 1, maxLength: 200 },
      },
    },
    additionalProperties: false,
  },
  session_search: {
    type: 'object',
    properties: {
      query: { type: 'string', maxLength: 4096 },
      sessionKey: { type: 'string', minLength: 1, maxLength: 200 },
      limit: { type: 'integer', minimum: 1, maximum: 20, default: 10 },
    },
    required: ['query'],
    additionalProperties: false,
  },
};

test('the tools are those that they were', () => {
  expect(tools.map((tool) => tool.name)).toEqual(Object.keys(pinned));
});

test.each(tools)('the input of $name is as it was', (tool) => {
  expect(withoutWords(toolSchemas(tool).inputSchema)).toEqual(pinned[tool.name]);
});
