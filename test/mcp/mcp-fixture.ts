/** The official client, our MCP server, our HTTP client and our HTTP app, over handlers that are made up. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { createClient, type AskerEnvironment } from '../../client/index.ts';
import type { OperationName } from '../../contract/operations.ts';
import type { SessionRecord } from '../../contract/records.ts';
import { createMcpServer } from '../../mcp/server.ts';
import type { Caller } from '../../operations/caller.ts';
import { fakeApi, tokens } from '../api/api-fixture.ts';

export type Answer = (
  name: OperationName,
  caller: Caller,
  input: Record<string, unknown>,
) => unknown;

export const nobody: AskerEnvironment = {
  token: null,
  parentSessionId: null,
  harnessSession: null,
};

export interface McpFixture {
  client: Client;
  /** What the API was asked for, without the runners that the list of tools looks up. */
  asked: () => ReturnType<typeof fakeApi>['asked'];
  call: (name: string, input?: object, meta?: object) => Promise<ToolResult>;
}
export type ToolResult = CallToolResult & { text: string };

export async function withMcp(
  options: { answer?: Answer; environment?: AskerEnvironment; progressMs?: number },
  use: (fixture: McpFixture) => Promise<void>,
): Promise<void> {
  const api = fakeApi({
    run: (name, caller, input) =>
      name === 'registerSession'
        ? session(String(input['key']))
        : options.answer?.(name, caller, input),
  });
  const environment = options.environment ?? nobody;
  const server = createMcpServer({
    connect: () =>
      createClient({
        url: 'http://localhost:8464',
        token: environment.token ?? tokens.admin,
        fetch: async (url, init) => api.app.request(url as string, init),
        retryMs: 0,
      }),
    environment,
    cwd: '/where/the/host/works',
    version: '1.2.3',
    ...(options.progressMs !== undefined && { progressMs: options.progressMs }),
  });
  const client = new Client({ name: 'test', version: '1' });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  try {
    await Promise.all([server.connect(ours), client.connect(theirs)]);
    await client.listTools();
    await use({
      client,
      asked: () => api.asked.filter((one) => one.name !== 'listRunners'),
      call: async (name, input = {}, meta) => {
        const result = (await client.callTool({
          name,
          arguments: { ...input },
          ...(meta && { _meta: { ...meta } }),
        })) as CallToolResult;
        return { ...result, text: textOf(result) };
      },
    });
  } finally {
    await client.close();
    await server.close();
  }
}

function session(sessionKey: string): SessionRecord {
  return {
    sessionKey,
    agentId: 'default',
    kind: 'external',
    harness: null,
    project: null,
    title: null,
    parentSessionId: null,
    rootSessionId: sessionKey,
    depth: 0,
    createdAt: '2026-10-01T10:00:00.000Z',
    updatedAt: '2026-10-01T10:00:00.000Z',
  };
}

export function textOf(result: CallToolResult): string {
  return result.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}
