/** An agent program's MCP server over the real API, for one call. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { createClient } from '../../client/index.ts';
import { createMcpServer } from '../../mcp/server.ts';
import type { Api } from './real-api.ts';

/** As one asks that believes to be in this session. */
export async function callTool(
  api: Api,
  { token, parentSessionId }: { token: string; parentSessionId: string },
  name: string,
  given: Record<string, unknown>,
): Promise<string> {
  const server = createMcpServer({
    connect: () => createClient({ url: api.url, token, retryMs: 0 }),
    environment: { token, parentSessionId, harnessSession: null },
    cwd: api.workspace,
    version: '1.2.3',
  });
  const client = new Client({ name: 'test', version: '1' });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(ours), client.connect(theirs)]);
  try {
    return JSON.stringify(await client.callTool({ name, arguments: given }));
  } finally {
    await client.close();
    await server.close();
  }
}
