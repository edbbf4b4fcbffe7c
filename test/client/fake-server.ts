/** The far side of the network: a small HTTP server that answers as each test says. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { SubAgentRecord, Turn } from '../../contract/records.ts';

export interface Seen {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: Record<string, unknown> | null;
}
export type Answer = (request: Seen, response: ServerResponse) => void | Promise<void>;

export interface FakeServer {
  url: string;
  seen: Seen[];
  /** Nobody listens on the address any more, until `start`. */
  stop: () => Promise<void>;
  start: () => Promise<void>;
}

export async function withFakeServer<T>(
  answer: Answer,
  use: (server: FakeServer) => Promise<T>,
): Promise<T> {
  const seen: Seen[] = [];
  const sockets = new Set<Socket>();
  let port = 0;
  const listener = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const one: Seen = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      body: text === '' ? null : (JSON.parse(text) as Record<string, unknown>),
    };
    seen.push(one);
    await answer(one, response);
  };
  let server = createServer();
  const start = () =>
    new Promise<void>((resolve) => {
      server = createServer((request, response) => void listener(request, response));
      server.on('connection', (socket) => {
        sockets.add(socket);
        socket.on('close', () => sockets.delete(socket));
      });
      server.listen(port, '127.0.0.1', () => {
        port = (server.address() as AddressInfo).port;
        resolve();
      });
    });
  const stop = () =>
    new Promise<void>((resolve) => {
      for (const socket of sockets) socket.destroy();
      server.close(() => resolve());
    });
  await start();
  try {
    return await use({ url: `http://127.0.0.1:${port}`, seen, start, stop });
  } finally {
    await stop();
  }
}

export function answerJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

export function answerProblem(
  response: ServerResponse,
  status: number,
  code: string,
  hint: string | null = null,
): void {
  const problem = {
    type: 'about:blank',
    title: code,
    status,
    code,
    detail: `It is ${code}.`,
    hint,
  };
  response.writeHead(status, { 'content-type': 'application/problem+json' });
  response.end(JSON.stringify(problem));
}

export function recordOf(fields: Partial<SubAgentRecord> = {}): SubAgentRecord {
  return {
    id: 'sub_1',
    runnerId: 'demo',
    status: 'completed',
    createdAt: '2026-01-01T00:00:00.000Z',
    startedAt: '2026-01-01T00:00:01.000Z',
    completedAt: '2026-01-01T00:00:03.500Z',
    context: { workspacePath: '/w', specId: null, prompt: 'Say hello', files: null },
    result: { content: 'hello', tokenUsage: null, durationMs: 2500 },
    error: null,
    errorCode: null,
    errorHint: null,
    pendingReason: null,
    title: null,
    agentId: 'default',
    sessionKey: 'ses_1',
    executionMode: 'SYNC',
    parentSessionId: null,
    rootSessionId: 'ses_1',
    depth: 0,
    detached: false,
    workflowId: 'subagent/sub_1',
    temporalUrl: null,
    ...fields,
  };
}

export const runningRecord = (fields: Partial<SubAgentRecord> = {}): SubAgentRecord =>
  recordOf({ status: 'running', completedAt: null, result: null, ...fields });

export function turnOf(seq: number, fields: Partial<Turn> = {}): Turn {
  return {
    seq,
    role: 'stdout',
    at: '2026-01-01T00:00:02.000Z',
    text: `line ${seq}\n`,
    invocationId: 'sub_1',
    runNo: 1,
    late: false,
    ...fields,
  };
}
