/** HTTP to one server: token, time limits, repeats while it is away, refusals as errors. */
import { anySignal } from '../contract/any-signal.ts';
import { AppError } from '../contract/errors.ts';
import { limits } from '../contract/limits.ts';
import { parseServerAddress } from '../contract/server-address.ts';
import { isChildToken } from './child-token.ts';
import { problemOf } from './problem-error.ts';
import { withRetries, type RetryOptions } from './retry.ts';

/** A server that took a request and says nothing for this long is taken to be gone. */
const answerMs = 30_000;

export interface TransportOptions {
  url: string;
  token: string;
  fetch?: typeof globalThis.fetch;
  /** How long to go on while the server does not answer. 0 asks once. Default: 30 s, and 2 min with the token of an agent that we run. */
  retryMs?: number;
  /** Told before each repeat, so that a person can be told why it takes long. */
  onRetry?: RetryOptions['onRetry'];
}

export interface Transport {
  url: string;
  token: string;
  fetch: typeof globalThis.fetch;
  retry: RetryOptions;
}

export interface HttpRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With its query. */
  path: string;
  body: unknown;
  headers: Record<string, string>;
  /** How long the server may rightly keep the answer back. */
  waitSeconds: number;
  signal?: AbortSignal;
}

export function createTransport(options: TransportOptions): Transport {
  if (parseServerAddress(options.url) === null) {
    throw new AppError('bad_request', `${JSON.stringify(options.url)} is not an address.`, {
      hint: 'Give the address of the server, as in http://127.0.0.1:8464.',
    });
  }
  return {
    url: options.url.replace(/\/+$/, ''),
    token: options.token,
    fetch: options.fetch ?? globalThis.fetch,
    retry: {
      retryMs: options.retryMs ?? patienceWith(options.token),
      ...(options.onRetry ? { onRetry: options.onRetry } : {}),
    },
  };
}

export const patienceWith = (token: string) =>
  isChildToken(token) ? limits.agentServerAwayMs : limits.serverAwayMs;

export async function requestJson(transport: Transport, request: HttpRequest): Promise<unknown> {
  return withRetries(transport, request.signal, async () => {
    const limit = AbortSignal.timeout(answerMs + Math.ceil(request.waitSeconds * 1000));
    const response = await fetchFrom(transport, request, limit);
    const text = await response.text();
    try {
      return JSON.parse(text) as unknown;
    } catch (cause) {
      throw notOffshoot(transport, cause);
    }
  });
}

/** The open answer, or an error for anything but success. A stream has no limit of time. */
export async function fetchFrom(
  transport: Transport,
  request: Omit<HttpRequest, 'waitSeconds'>,
  limit?: AbortSignal,
): Promise<Response> {
  const signals = [request.signal, limit].filter((one) => one !== undefined);
  const response = await transport.fetch(`${transport.url}${request.path}`, {
    method: request.method,
    headers: {
      authorization: `Bearer ${transport.token}`,
      ...(request.body === null ? {} : { 'content-type': 'application/json' }),
      ...request.headers,
    },
    ...(request.body === null ? {} : { body: JSON.stringify(request.body) }),
    signal: anySignal(signals),
    // A server of ours never redirects, and a token does not follow one elsewhere.
    redirect: 'error',
  });
  if (response.ok) return response;
  throw (await problemOf(response)) ?? notOffshoot(transport, null);
}

export function notOffshoot(transport: Transport, cause: unknown): AppError {
  return new AppError('server_unavailable', `What answers at ${transport.url} is not Offshoot.`, {
    ...(cause === null ? {} : { cause }),
    hint: 'Another program holds this address: see `offshoot doctor`.',
  });
}
