/** What hosts get from each tool. Wording may change without a red pin, shapes may not. */
import { expect, test } from '@jest/globals';
import { turnRoles } from '../../contract/words.ts';
import { toolSchemas } from '../../mcp/tool-schema.ts';
import { tools } from '../../mcp/tools.ts';
import { withoutWords } from './without-words.ts';

const subAgent = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    runnerId: { type: 'string' },
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
    title: { type: ['string', 'null'] },
    sessionKey: { type: 'string' },
    parentSessionId: { type: ['string', 'null'] },
    createdAt: { type: 'string', format: 'date-time' },
    completedAt: { anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] },
    error: { type: ['string', 'null'] },
    errorCode: {
      anyOf: [
        {
          type: 'string',
          enum: [
            'runner_missing',
            'exit_nonzero',
            'killed_by_signal',
            'empty_result',
            'invalid_result',
            'agent_error',
            'unresolved_placeholder',
            'env_missing',
            'spawn_failed',
            'turn_timeout',
            'wall_time',
            'no_host',
            'outcome_unknown',
            'cancelled',
            'parent_ended',
            'engine_rejected',
          ],
        },
        { type: 'null' },
      ],
    },
    errorHint: { type: ['string', 'null'] },
    pendingReason: { type: ['string', 'null'] },
    isFinal: { type: 'boolean' },
    task: { type: 'string' },
    durationMs: { type: ['number', 'null'] },
    tokenUsage: {
      anyOf: [
        {
          type: 'object',
          properties: {
            input: { type: 'integer', minimum: 0 },
            output: { type: 'integer', minimum: 0 },
          },
          required: ['input', 'output'],
        },
        { type: 'null' },
      ],
    },
    answer: {
      anyOf: [
        {
          type: 'object',
          properties: {
            text: { type: 'string' },
            charsTotal: { type: 'integer' },
            isWhole: { type: 'boolean' },
            nextOffset: { type: ['integer', 'null'] },
          },
          required: ['text', 'charsTotal', 'isWhole', 'nextOffset'],
        },
        { type: 'null' },
      ],
    },
    nextStep: { type: 'string' },
  },
  required: [
    'id',
    'runnerId',
    'status',
    'executionMode',
    'title',
    'sessionKey',
    'parentSessionId',
    'createdAt',
    'completedAt',
    'error',
    'errorCode',
    'errorHint',
    'pendingReason',
    'isFinal',
    'task',
    'durationMs',
    'tokenUsage',
    'answer',
    'nextStep',
  ],
};

const pinned: Record<string, object> = {
  runSubagent: subAgent,
  wait_subagents: {
    type: 'object',
    properties: {
      done: { type: 'array', items: subAgent },
      open: { type: 'array', items: subAgent },
      nextStep: { type: 'string' },
    },
    required: ['done', 'open', 'nextStep'],
  },
  get_subagent: subAgent,
  list_subagents: {
    type: 'object',
    properties: {
      items: { type: 'array', items: subAgent },
      nextCursor: { type: ['string', 'null'] },
    },
    required: ['items', 'nextCursor'],
  },
  cancel_subagent: subAgent,
  get_callbacks: {
    type: 'object',
    properties: {
      acknowledged: { type: 'array', items: { type: 'string' } },
      callbacks: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            id: { type: 'string' },
            invocationId: { type: 'string' },
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
            state: { type: 'string', enum: ['queued', 'handed', 'delivered', 'undelivered'] },
            createdAt: { type: 'string', format: 'date-time' },
            envelope: { type: 'string' },
          },
          required: ['id', 'invocationId', 'status', 'state', 'createdAt', 'envelope'],
        },
      },
      remaining: { type: 'integer' },
    },
    required: ['acknowledged', 'callbacks', 'remaining'],
  },
  session_search: {
    type: 'object',
    properties: {
      hits: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            sessionKey: { type: 'string' },
            project: { type: ['string', 'null'] },
            updatedAt: { type: 'string', format: 'date-time' },
            excerpt: { type: 'string' },
            rank: { type: 'number' },
            seq: { type: 'integer' },
            place: { type: ['integer', 'null'] },
            turn: { type: 'integer' },
            role: { type: 'string', enum: [...turnRoles] },
            at: { type: 'string', format: 'date-time' },
            offsets: {
              type: 'array',
              items: {
                type: 'object',
                properties: { start: { type: 'integer' }, end: { type: 'integer' } },
                required: ['start', 'end'],
              },
            },
          },
          required: [
            'sessionKey',
            'project',
            'updatedAt',
            'excerpt',
            'rank',
            'seq',
            'place',
            'turn',
            'role',
            'at',
            'offsets',
          ],
        },
      },
      count: { type: 'integer' },
    },
    required: ['hits', 'count'],
  },
};

test.each(tools)('the output of $name is as it was', (tool) => {
  expect(withoutWords(toolSchemas(tool).outputSchema)).toEqual(pinned[tool.name]);
});
