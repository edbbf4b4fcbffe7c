/** Children by a tool call, as a model asks for them: an official MCP client and `offshoot mcp` over stdio. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { z } from 'zod';
import { isFinal, statusSchema } from '../../contract/words.ts';
import type { Child, Offshoot } from './agent.ts';

export interface McpCommand {
  command: string;
  args: string[];
  env: Record<string, string>;
}

/** Above the time that the tools wait by themselves before they answer with a handle. */
const callMs = 120_000;

const briefSchema = z.object({
  id: z.string(),
  title: z.string().nullable(),
  status: statusSchema,
  error: z.string().nullable(),
  errorCode: z.string().nullable(),
  answer: z.object({ text: z.string() }).nullable(),
});
type Brief = z.infer<typeof briefSchema>;

export function overMcp(server: McpCommand): Pick<Offshoot, 'run'> {
  return {
    run: ({ title, ...request }, key) =>
      withClient(server, async (client) => {
        const input = { ...request, ...(title === null ? {} : { title }) };
        const first = briefSchema.parse(await callTool(client, 'runSubagent', input, key));
        if (request.executionMode !== 'SYNC') return childOf(first);
        let brief: Brief = first;
        while (!isFinal(brief.status)) {
          const waited = await callTool(client, 'wait_subagents', { ids: [brief.id] }, key);
          const { done, open } = waitedSchema.parse(waited);
          brief = done[0] ?? open[0] ?? brief;
        }
        return childOf(brief);
      }),
  };
}

const waitedSchema = z.object({ done: z.array(briefSchema), open: z.array(briefSchema) });

async function withClient<T>(server: McpCommand, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ name: 'offshoot-demo-agent', version: '1.0.0' });
  try {
    await client.connect(new StdioClientTransport({ ...server, stderr: 'inherit' }));
    return await use(client);
  } finally {
    await client.close();
  }
}

async function callTool(
  client: Client,
  name: string,
  input: Record<string, unknown>,
  key: string,
): Promise<unknown> {
  // The id of the tool call is what a host names its calls by: the same one again is the same child.
  const params = { name, arguments: input, _meta: { 'claudecode/toolUseId': key } };
  const result = await client.callTool(params, undefined, { timeout: callMs });
  if (result.isError === true) throw new Error(textOf(result.content));
  return result.structuredContent;
}

function textOf(content: unknown): string {
  const parts = z.array(z.object({ text: z.string() }).partial()).safeParse(content);
  return (parts.data ?? []).map((part) => part.text ?? '').join('\n') || 'the tool call failed';
}

function childOf({ id, title, status, error, errorCode, answer }: Brief): Child {
  return { id, title, status, error, errorCode, answer: answer?.text ?? null };
}
