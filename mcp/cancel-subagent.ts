import { operations } from '../contract/operations.ts';
import { withAliases } from '../contract/with-aliases.ts';
import { isFinal } from '../contract/words.ts';
import { briefWithAnswer } from './answers.ts';
import { briefRecordSchema, recordText, type BriefRecord } from './brief-record.ts';
import { defineTool } from './tool.ts';

const asked = operations.cancelSubagent.input.out;

export const cancelSubagent = defineTool(
  {
    name: 'cancel_subagent',
    title: 'Cancel a sub-agent',
    description: `Stops a sub-agent and everything that it has asked for in turn. Use it when its work is not needed any more; a sub-agent that is only slow should be waited for. What it has said so far is kept. One that has ended already stays as it ended. Returns its record; a running one may take some seconds to stop.`,
    input: withAliases(
      asked.extend({
        id: asked.shape.id.describe('The id that runSubagent returned, sub_…'),
        reason: asked.shape.reason.describe('Why, in a few words; kept in its record'),
      }),
    ),
    output: briefRecordSchema,
    annotations: {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: true,
      openWorldHint: false,
    },
  },
  async (call, input) => {
    const record = await call.client.call('cancelSubagent', input, { signal: call.signal });
    const brief = briefWithAnswer(call, record);
    const structured: BriefRecord = isFinal(record.status)
      ? brief
      : {
          ...brief,
          nextStep: `It has been told to stop. Call wait_subagents {"ids": ["${record.id}"]} if you must know that it has.`,
        };
    return { structured, text: recordText(structured) };
  },
);
