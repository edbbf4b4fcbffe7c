/** Plain HTTP, where a test looks at status, headers or a single attempt. */
import type { SubAgentRecord, Turn } from '../../contract/records.ts';
import type { Problem } from '../../contract/system-records.ts';
import type { Stack } from './stack.ts';

/** A record or a problem, read loosely: the schemas are held by the tests of the API. */
export type Body = SubAgentRecord & Omit<Problem, 'status'>;

export interface Answer<T> {
  status: number;
  headers: Headers;
  body: T;
}

export async function ask<T = Body>(
  { url, token }: Pick<Stack, 'url' | 'token'>,
  method: string,
  path: string,
  options: { body?: unknown; headers?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<Answer<T>> {
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      ...options.headers,
    },
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
    ...(options.signal ? { signal: options.signal } : {}),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as T };
}

export interface Frame {
  id: number | null;
  event: string;
  data: Turn & SubAgentRecord;
}

/** The frames of an event stream, until it closes or the wanted number has come. */
export async function frames(
  { url, token }: Pick<Stack, 'url' | 'token'>,
  id: string,
  options: { lastEventId?: number; most?: number } = {},
): Promise<Frame[]> {
  const response = await fetch(`${url}/api/subagents/${id}/events`, {
    headers: {
      authorization: `Bearer ${token}`,
      ...(options.lastEventId === undefined
        ? {}
        : { 'last-event-id': String(options.lastEventId) }),
    },
  });
  const found: Frame[] = [];
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body!) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    const parts = text.split('\n\n');
    text = parts.pop()!;
    for (const part of parts) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(part)?.[1];
      const event = field('event');
      if (event === undefined) continue;
      const number = field('id');
      found.push({
        id: number === undefined ? null : Number(number),
        event,
        data: JSON.parse(field('data')!),
      });
      // Leaving the loop closes the connection.
      if (found.length === options.most) return found;
    }
  }
  return found;
}
