/** The MCP server: tools over stdio, answered by the HTTP API. Stdout carries the protocol and nothing else. */
import type { Readable, Writable } from 'node:stream';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type CallToolResult,
} from '@modelcontextprotocol/sdk/types.js';
import { whoAsks, type AskerEnvironment, type OffshootClient } from '../client/index.ts';
import { isShallow } from '../contract/depth.ts';
import { AppError } from '../contract/errors.ts';
import { describeIssues, issueWords } from '../contract/issues.ts';
import { limits } from '../contract/limits.ts';
import { bounds } from './bounds.ts';
import { errorResult } from './error-result.ts';
import { readMeta } from './meta.ts';
import { ownSessionOf, registeredSessionOf } from './own-session.ts';
import { withProgress } from './progress.ts';
import { listTools } from './list-tools.ts';
import type { Tool, ToolCall } from './tool.ts';
import { tools } from './tools.ts';

export interface McpServerOptions {
  /** Asked for each call, because a server may come up, or move, while a host is running. */
  connect: () => OffshootClient;
  environment: AskerEnvironment;
  /** The host starts us where its agent works. */
  cwd: string;
  version: string;
  progressMs?: number;
}

/** Serves until the host closes stdin. Sub-agents go on after that. */
export async function startMcpServer(
  options: McpServerOptions & { stdin: Readable; stdout: Writable },
): Promise<void> {
  const { stdin, stdout } = options;
  const server = createMcpServer(options);
  const transport = new StdioServerTransport(stdin, stdout, {
    maxBufferSize: limits.bodyBytesMax,
  });
  const closed = new Promise<void>((resolve) => {
    server.onclose = resolve;
  });
  // The transport does not notice either of these by itself.
  const close = () => void server.close();
  stdin.once('end', close).once('close', close);
  stdout.once('error', close);
  await server.connect(transport);
  await closed;
}

export function createMcpServer(options: McpServerOptions): Server {
  const server = new Server(
    { name: 'offshoot', title: 'Offshoot sub-agents', version: options.version },
    { capabilities: { tools: {} }, instructions },
  );
  server.setRequestHandler(ListToolsRequestSchema, async (_request, extra) => ({
    tools: await listTools(options.connect, extra.signal),
  }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) => {
    const tool = tools.find((one) => one.name === params.name);
    if (!tool) {
      const known = tools.map((one) => one.name).join(', ');
      throw new McpError(ErrorCode.InvalidParams, `No tool ${params.name}. There are: ${known}.`);
    }
    const target = {
      progressToken: extra._meta?.progressToken,
      notify: (progress: { progressToken: string | number; progress: number; message: string }) =>
        extra.sendNotification({ method: 'notifications/progress', params: progress }),
    };
    return withProgress(target, options.progressMs ?? bounds.progressMs, () =>
      callTool(options, tool, params.arguments ?? {}, { meta: extra._meta, signal: extra.signal }),
    );
  });
  return server;
}

const tooDeep = `the arguments are nested deeper than ${limits.jsonLevelsMax}`;

async function callTool(
  options: McpServerOptions,
  tool: Tool,
  given: unknown,
  request: { meta: unknown; signal: AbortSignal },
): Promise<CallToolResult> {
  try {
    if (!isShallow(given)) throw new AppError('bad_request', tooDeep);
    const parsed = tool.input.safeParse(given, { error: issueWords });
    if (!parsed.success) throw new AppError('bad_request', describeIssues(parsed.error));
    const answer = await tool.run(toolCall(options, request), parsed.data);
    return {
      content: [{ type: 'text', text: answer.text }],
      structuredContent: answer.structured,
    };
  } catch (error) {
    return errorResult(error);
  }
}

function toolCall(
  options: McpServerOptions,
  request: { meta: unknown; signal: AbortSignal },
): ToolCall {
  const client = options.connect();
  const meta = readMeta(request.meta);
  const asker = whoAsks(options.environment, meta.session);
  return {
    client,
    asker,
    ownSession: () => ownSessionOf(client, asker, options.environment),
    registeredSession: () => registeredSessionOf(client, asker, options.environment, options.cwd),
    toolCallId: meta.toolCallId,
    cwd: options.cwd,
    signal: request.signal,
  };
}

const instructions = `Offshoot runs other agents for you and never loses their answers. Start one with runSubagent, wait for several at once with wait_subagents, read answers that were sent to you with get_callbacks. Every sub-agent has an id (sub_…) by which it can be asked again at any time, also after a restart.`;
