import { z } from 'zod';
import { defaults } from '../contract/limits.ts';
import { operations } from '../contract/operations.ts';
import { withAliases } from '../contract/with-aliases.ts';
import { briefWithAnswer, shareOf } from './answers.ts';
import { briefRecordSchema, headline, recordText } from './brief-record.ts';
import { inLine } from './frame.ts';
import { defineTool } from './tool.ts';

const asked = operations.waitSubagents.input.out;

export const waitSubagents = defineTool(
  {
    name: 'wait_subagents',
    title: 'Wait for sub-agents',
    description: `Waits until all (or, with until "any", the first) of the given sub-agents have ended, and returns the answers of those that have. After waitSeconds (default ${defaults.mcpWaitSeconds}) it returns what there is; the others go on, and you call it again with their ids. Waiting longer changes nothing about the sub-agents, and giving up does not cancel them.`,
    input: withAliases(
      asked.extend({
        ids: asked.shape.ids.describe('Ids that runSubagent returned'),
        until: asked.shape.until.describe('all: every one of them has ended; any: the first has'),
        waitSeconds: asked.shape.waitSeconds.describe(
          `Default ${defaults.mcpWaitSeconds}; hosts cut calls after about 60. 0 only looks.`,
        ),
      }),
    ),
    output: z.object({
      done: z.array(briefRecordSchema),
      open: z.array(briefRecordSchema),
      nextStep: z.string(),
    }),
    annotations: {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
  },
  async (call, input) => {
    const answer = await call.client.call(
      'waitSubagents',
      { ...input, waitSeconds: input.waitSeconds ?? defaults.mcpWaitSeconds },
      { signal: call.signal },
    );
    const charsMax = shareOf(answer.done.length);
    const done = answer.done.map((record) => briefWithAnswer(call, record, { charsMax }));
    const open = answer.open.map((record) => briefWithAnswer(call, record));
    const nextStep =
      open.length === 0
        ? 'All of them have ended. Nothing is left to wait for.'
        : `${open.length} still at work. Call wait_subagents {"ids": ${JSON.stringify(open.map((one) => one.id))}} to go on waiting.`;
    const text = [
      `${done.length} ended, ${open.length} open.`,
      `Next: ${nextStep}`,
      ...open.map(
        (one) => `${headline(one)}${one.pendingReason ? `: ${inLine(one.pendingReason)}` : ''}`,
      ),
      ...done.map(recordText),
    ];
    return { structured: { done, open, nextStep }, text: text.join('\n\n') };
  },
);
