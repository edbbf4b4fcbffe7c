import { z } from 'zod';
import { operations } from '../contract/operations.ts';
import { withAliases } from '../contract/with-aliases.ts';
import { briefWithAnswer } from './answers.ts';
import { briefRecordSchema, recordText } from './brief-record.ts';
import { defineTool } from './tool.ts';

export const getSubagent = defineTool(
  {
    name: 'get_subagent',
    title: 'Get a sub-agent',
    description: `Shows one sub-agent by its id: status, error, answer, next step. Returns at once, whatever the status. Use it to read an answer again, or to read on in a long one: give the \`nextOffset\` of the last result as \`offset\`. To wait for an answer use wait_subagents instead of asking again and again.`,
    input: withAliases(
      operations.getSubagent.input.extend({
        id: operations.getSubagent.input.shape.id.describe(
          'The id that runSubagent returned, sub_…',
        ),
        offset: z
          .number()
          .int()
          .min(0)
          .optional()
          .describe('Read the answer from this character on'),
      }),
    ),
    output: briefRecordSchema,
    annotations: {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
  },
  async (call, { id, offset }) => {
    const record = await call.client.call('getSubagent', { id }, { signal: call.signal });
    const structured = briefWithAnswer(call, record, offset === undefined ? {} : { offset });
    return { structured, text: recordText(structured) };
  },
);
