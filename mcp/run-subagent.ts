import { createHash, randomUUID } from 'node:crypto';
import { defaults } from '../contract/limits.ts';
import { operations } from '../contract/operations.ts';
import { contextSchema } from '../contract/requests.ts';
import { withAliases } from '../contract/with-aliases.ts';
import { briefWithAnswer } from './answers.ts';
import { briefRecordSchema, recordText } from './brief-record.ts';
import { defineTool, type ToolCall } from './tool.ts';

const asked = operations.runSubagent.input.out;

export const runSubagent = defineTool(
  {
    name: 'runSubagent',
    title: 'Run a sub-agent',
    description: `Runs another agent on a task of its own, durably: once accepted, the work and its answer survive crashes and restarts. The sub-agent sees only the prompt and the context given here, so write the prompt as a complete task: goal, material, limits, and what the answer should contain.

Modes:
- SYNC (default): waits and returns the answer. For work of up to a minute. If it takes longer than waitSeconds (default ${defaults.mcpWaitSeconds}) you get a handle instead, and the sub-agent goes on: call wait_subagents with its id.
- ASYNC_POLL: returns at once with an id. For long work, or several sub-agents at a time: start them all, then call wait_subagents with all their ids.
- ASYNC_CALLBACK: returns at once; the answer is sent to your session when it is there, and get_callbacks shows it. For work whose end you do not want to wait for.

Returns the id, the status, the answer or the error, and the next step. A long answer is cut in the middle; get_subagent reads the rest. A failed sub-agent is a normal result with status, error and hint. Never run the same task again because a call was slow: ask by id.`,
    input: withAliases(
      asked.extend({
        runnerId: asked.shape.runnerId.describe(
          'Which agent program runs it. A name that is not known is refused with the list of those that are.',
        ),
        parentSessionId: asked.shape.parentSessionId.describe(
          'Leave it out: your own session is known. Session key of who asks.',
        ),
        context: contextSchema
          .extend({
            workspacePath: contextSchema.shape.workspacePath.describe(
              'The folder it works in, absolute. Default: the one you work in.',
            ),
            files: contextSchema.shape.files.describe('Paths inside that folder that matter'),
            specId: contextSchema.shape.specId.describe('The spec it works for'),
            env: contextSchema.shape.env.describe('Extra variables of its environment'),
          })
          .default({}),
        waitSeconds: asked.shape.waitSeconds.describe(
          `SYNC only: how long to wait before a handle is returned. Default ${defaults.mcpWaitSeconds}; hosts cut calls after about 60.`,
        ),
        title: asked.shape.title.describe('A few words by which people know it again'),
        detached: asked.shape.detached.describe(
          'True: it goes on even if your own work fails or is cancelled',
        ),
      }),
    ),
    output: briefRecordSchema,
    annotations: {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
    },
  },
  async (call, input) => {
    const isSync = input.executionMode === 'SYNC';
    const parent = await call.registeredSession();
    const record = await call.client.call(
      'runSubagent',
      {
        ...input,
        context: { ...input.context, workspacePath: input.context.workspacePath ?? call.cwd },
        ...(isSync && { waitSeconds: input.waitSeconds ?? defaults.mcpWaitSeconds }),
      },
      {
        signal: call.signal,
        idempotencyKey: callKey(call, parent),
        // A child's token says it by itself; a session key beside it could only disagree.
        parentSessionId: call.asker.kind === 'token' ? null : parent,
      },
    );
    const structured = briefWithAnswer(call, record);
    return { structured, text: recordText(structured) };
  },
);

/** The same tool call, however often its host sends it, is one child. */
function callKey(call: ToolCall, parent: string | null): string {
  if (call.toolCallId === null) return randomUUID();
  return createHash('sha256')
    .update(JSON.stringify([parent, call.toolCallId]))
    .digest('hex');
}
