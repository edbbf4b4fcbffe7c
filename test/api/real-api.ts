/** The HTTP server on a port of its own, over the real operations and a real store. */
import { createApp } from '../../api/app.ts';
import { listen } from '../../api/listen.ts';
import { overOperations } from '../../api/over-operations.ts';
import { signToken, type TokenClaims } from '../../domain/token.ts';
import { createSearcher } from '../../search/searcher.ts';
import type { Deps } from '../../operations/index.ts';
import { withOperations, type Room } from '../operations/operations-fixture.ts';

export interface Told {
  status: number;
  /** As it came: what is not there must not be anywhere in it. */
  text: string;
}

type Send = (
  token: string,
  method: string,
  path: string,
  more?: { body?: unknown; headers?: Record<string, string> },
) => Promise<Told>;

export interface Api extends Room {
  url: string;
  token(claims: TokenClaims): string;
  http: Send;
  /** The same without a connection: for thousands of requests. */
  direct: Send;
}

export function withRealApi<T>(use: (api: Api) => Promise<T>): Promise<T> {
  return withOperations(async (room) => {
    const { database } = room.deps.paths;
    // One for all: most of what a search takes would else be the opening of a new index.
    const searcher = createSearcher({ database, index: `${database}.search` });
    const deps: Deps = {
      ...room.deps,
      search: async (request) => {
        while (searcher.step());
        return searcher.search(request);
      },
    };
    const app = createApp({
      ...overOperations(deps),
      allowedHosts: () => [],
      metrics: () => null,
      log: { error: () => {} },
    });
    const where = { port: 0, address: '127.0.0.1' };
    const server = await listen((request) => app.fetch(request), where, deps.paths);
    const url = `http://127.0.0.1:${server.port}`;
    try {
      return await use({
        ...room,
        url,
        token: (claims) => signToken(deps.secret, claims),
        http: sendBy((path, init) => fetch(`${url}${path}`, init)),
        direct: sendBy((path, init) => app.request(path, init)),
      });
    } finally {
      await server.close();
      searcher.close();
    }
  });
}

const sendBy =
  (send: (path: string, init: RequestInit) => Response | Promise<Response>): Send =>
  async (token, method, path, { body, headers } = {}) => {
    const response = await send(path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    // A stream that has begun has no end, and is one answer too many already.
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
    if (!isStream) return { status: response.status, text: await response.text() };
    const reader = response.body!.getReader();
    const { value } = await reader.read();
    await reader.cancel();
    return { status: response.status, text: Buffer.from(value ?? []).toString() };
  };
