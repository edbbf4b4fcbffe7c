import { z } from 'zod';
import { limits } from '../contract/limits.ts';
import { operations } from '../contract/operations.ts';
import { withAliases } from '../contract/with-aliases.ts';
import { briefWithoutAnswer } from './answers.ts';
import { briefRecordSchema, headline } from './brief-record.ts';
import { inLine } from './frame.ts';
import { defineTool } from './tool.ts';

const asked = operations.listSubagents.input.out;

export const listSubagents = defineTool(
  {
    name: 'list_subagents',
    title: 'List sub-agents',
    description: `Lists sub-agents, newest first, without their answers: by default those that you asked for yourself, with scope "all" every one that you may see. Use it to find ids again, after a restart for example, or to see what is still at work (status "running"). Returns \`nextCursor\` when there are more. Answers are read with get_subagent.`,
    input: withAliases(
      asked.extend({
        scope: z
          .enum(['own', 'all'])
          .default('own')
          .describe(
            'own: asked for by your session. Has no effect beside parentSessionId or rootSessionId.',
          ),
        parentSessionId: asked.shape.parentSessionId.describe('Asked for by this session'),
        rootSessionId: asked.shape.rootSessionId.describe(
          'Asked for by this session or by anything below it',
        ),
        limit: z.number().int().min(1).max(limits.mcpPageMax).default(limits.mcpPageDefault),
      }),
    ),
    output: z.object({
      items: z.array(briefRecordSchema),
      nextCursor: z.string().nullable().describe('Give it as `cursor` for the next page'),
    }),
    annotations: {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
  },
  async (call, { scope, ...filter }) => {
    const isNamed = filter.parentSessionId !== undefined || filter.rootSessionId !== undefined;
    const own = scope === 'own' && !isNamed ? await call.ownSession() : null;
    const page = await call.client.call(
      'listSubagents',
      { ...filter, ...(own !== null && { parentSessionId: own }) },
      { signal: call.signal },
    );
    const items = page.items.map((record) => briefWithoutAnswer(call, record));
    const text = [
      items.length === 0 ? 'None.' : `${items.length} sub-agents, newest first:`,
      ...items.map((one) => `${headline(one)}: ${inLine(one.task)}`),
      page.nextCursor && `There are more: the same call with "cursor": "${page.nextCursor}".`,
      items.length > 0 && 'Answers: get_subagent with the id. To wait: wait_subagents with ids.',
    ];
    return {
      structured: { items, nextCursor: page.nextCursor },
      text: text.filter(Boolean).join('\n'),
    };
  },
);
