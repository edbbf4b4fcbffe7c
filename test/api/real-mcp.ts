/** An agent program's MCP server over the real API. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { createClient, type AskerEnvironment } from '../../client/index.ts';
import { createMcpServer } from '../../mcp/server.ts';
import type { Api } from './real-api.ts';

export type CallTool = (name: string, given: Record<string, unknown>) => Promise<string>;

interface Asker {
  token: string;
  parentSessionId: string | null;
  /** What its host says of its own session. */
  harnessSession?: AskerEnvironment['harnessSession'];
}

/** As one asks that believes to be in this session. */
export async function withMcpOver<T>(
  api: Api,
  { token, parentSessionId, harnessSession = null }: Asker,
  use: (call: CallTool) => Promise<T>,
): Promise<T> {
  const server = createMcpServer({
    connect: () => createClient({ url: api.url, token, retryMs: 0 }),
    environment: { token, parentSessionId, harnessSession },
    cwd: api.workspace,
    version: '1.2.3',
  });
  const client = new Client({ name: 'test', version: '1' });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(ours), client.connect(theirs)]);
  try {
    return await use(async (name, given) =>
      JSON.stringify(await client.callTool({ name, arguments: given })),
    );
  } finally {
    await client.close();
    await server.close();
  }
}

export const callTool = (api: Api, asker: Asker, name: string, given: Record<string, unknown>) =>
  withMcpOver(api, asker, (call) => call(name, given));
