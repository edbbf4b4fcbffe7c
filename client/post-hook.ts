/**
 * One hook, sent to the server once. Written for the hook command, which starts anew for each hook: it loads neither
 * schemas nor the typed client, and what comes back is checked only for being JSON.
 */
import type { RequestErrorCode } from '../contract/errors.ts';
import { limits } from '../contract/limits.ts';
import { headers as ours } from '../contract/names.ts';
import type { SpooledHook } from './hook-spool.ts';

export interface HookServer {
  url: string;
  token: string;
}

export type Posted =
  | { kind: 'answered'; answer: Readonly<Record<string, unknown>> }
  /** The server will never take it as it is. */
  | { kind: 'refused'; why: string }
  /** Nor this one, until somebody has put in order what the server has. */
  | { kind: 'unsettled'; why: string }
  /** It does not take this token. */
  | { kind: 'locked'; why: string }
  /**
   * Nobody knows whether the server has it; sending it again does no harm. Broken off: it was there, and ended before it
   * had answered. Failed: it has answered that it failed at it, as it may each time.
   */
  | { kind: 'away'; why: string; isBroken?: boolean; isFailed?: boolean };

/** Any other answer that is no success may come out otherwise later, from a server that starts. */
const refusals: ReadonlySet<number> = new Set([400, 403, 404, 405, 409, 413, 415, 422]);
/** Another agent's report of the same key brings it about: it must not cost a program its words. */
const unsettledCode: RequestErrorCode = 'parent_conflict';
/** What no code of ours foresees. */
const failedCode: RequestErrorCode = 'internal';
const toSettle =
  'delete one (offshoot delete <key> --session --agent <id>), or give the program a token of its agent (offshoot token create --role agent --agent <id>)';

export async function postHook(
  server: HookServer,
  hook: SpooledHook,
  { signal, isLate = false }: { signal: AbortSignal; isLate?: boolean },
): Promise<Posted> {
  try {
    const { status, text } = await post(
      server,
      hook,
      signal,
      isLate ? { [ours.lateHook]: '1' } : {},
    );
    const body = bodyOf(text);
    if (body !== null && status >= 200 && status < 300) return { kind: 'answered', answer: body };
    const why = typeof body?.detail === 'string' ? body.detail : `the server answered ${status}`;
    // A gateway, or whoever has taken its port, knows nothing of the hook; too long it is for a gateway at any time.
    const isOurs = typeof body?.code === 'string';
    if (isOurs ? refusals.has(status) : status === 413) {
      if (body?.code === unsettledCode) return { kind: 'unsettled', why: `${why}: ${toSettle}` };
      return { kind: 'refused', why };
    }
    if (isOurs && status === 401) return { kind: 'locked', why };
    return { kind: 'away', why, isFailed: body?.code === failedCode };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return { kind: 'away', why: message, isBroken: brokenOff.has(code ?? '') };
  }
}

const brokenOff: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE']);

async function post(
  { url, token }: HookServer,
  hook: SpooledHook,
  signal: AbortSignal,
  more: Readonly<Record<string, string>>,
): Promise<{ status: number; text: string }> {
  const to = new URL(`${url.replace(/\/$/, '')}/api/hooks/${hook.event}`);
  const { request } = await (to.protocol === 'https:' ? import('node:https') : import('node:http'));
  const body = Buffer.from(JSON.stringify(hook.request));
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': body.length,
      ...more,
    };
    // An agent of its own keeps no connection: the process ends as soon as the answer is there.
    const sent = request(to, { method: 'POST', headers, signal, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > limits.hookAnswerBytesMax)
          response.destroy(new Error('The answer is too long.'));
        else chunks.push(chunk);
      });
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function bodyOf(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
