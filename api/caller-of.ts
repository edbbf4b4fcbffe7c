/** Who asks, from one request. Nothing is taken from the server's own environment. */
import type { Context } from 'hono';
import { AppError } from '../contract/errors.ts';
import { limits } from '../contract/limits.ts';
import { headers, hookHeaders } from '../contract/names.ts';
import { bareKey } from '../contract/fields.ts';
import { runtimePaths, type RuntimePath } from '../contract/words.ts';
import { parseTraceparent, traceparentHeader } from '../contract/trace.ts';
import type { Caller } from '../operations/caller.ts';
import type { ApiEnv } from './gate.ts';

export function callerOf(c: Context<ApiEnv>, gone: AbortSignal = c.req.raw.signal): Caller {
  return {
    claims: c.get('claims'),
    parentSessionId: sessionFromHeader(c),
    idempotencyKey: keyFromHeader(c, headers.idempotencyKey),
    runtimePath: runtimePathOf(c),
    isLateHook: c.req.header(headers.lateHook)?.trim() === '1',
    trace: parseTraceparent(c.req.header(traceparentHeader)),
    gone,
  };
}

/** `session:` with nothing behind it is as empty as the header itself. */
function sessionFromHeader(c: Context): string | null {
  const key = bareKey(keyFromHeader(c, headers.parentSession) ?? '').trim();
  return key === '' ? null : key;
}

/** An empty header is none: a template whose variable was not set leaves one behind. */
function keyFromHeader(c: Context, name: string): string | null {
  const given = c.req.header(name);
  const value = given === undefined ? '' : asUtf8(given).trim();
  if (value === '') return null;
  if (value.length > limits.keyCharsMax) {
    throw new AppError(
      'bad_request',
      `The header ${name} is longer than ${limits.keyCharsMax} characters.`,
    );
  }
  return value;
}

/** A word that is none of the two is a mistake: without a path nothing would be claimed, and nobody told. */
function runtimePathOf(c: Context): RuntimePath | null {
  for (const name of hookHeaders.runtimePath) {
    const value = keyFromHeader(c, name);
    if (value === null) continue;
    const known = runtimePaths.find((path) => path === value);
    if (known !== undefined) return known;
    throw new AppError('bad_request', `The header ${name} must be ${runtimePaths.join(' or ')}.`);
  }
  return null;
}

/** Before anything else is read from the request: its caller wants no hooks. */
export function wantsNoHooks(c: Context): boolean {
  return hookHeaders.noHooks.some((name) => c.req.header(name)?.trim() === '1');
}

/** HTTP hands header bytes over as Latin-1; session keys are UTF-8 text. */
function asUtf8(value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) ? text : value;
}
