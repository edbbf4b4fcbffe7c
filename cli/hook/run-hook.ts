/** One hook, from the program's payload to what is printed for the program. */
import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { HookSpool } from '../../client/hook-spool.ts';
import { postHook, type HookServer, type Posted } from '../../client/post-hook.ts';
import { anySignal } from '../../contract/any-signal.ts';
import { limits } from '../../contract/limits.ts';
import { hooksOf } from '../../harnesses/hooks-of.ts';
import { hookEvents, readHook, type HookCall } from '../../harnesses/hooks.ts';
import { harnessOf } from '../../harnesses/names.ts';
import { readHookArgs, type HookArgs } from './hook-args.ts';
import type { HookEnvironment } from './hook-environment.ts';
import { findHookTarget } from './hook-target.ts';
import { readPayload } from './read-payload.ts';

export interface HookDeps {
  args: readonly string[];
  stdin: Readable;
  environment: HookEnvironment;
  home: string;
  now: () => number;
  /** Given when the program wants us gone. */
  signal: AbortSignal;
}

export interface HookOutput {
  out: string;
  err: string;
}

export async function runHook(deps: HookDeps): Promise<HookOutput> {
  const args = readHookArgs(deps.args);
  if ('problem' in args) return silence(args.problem);
  const read = await readPayload(deps.stdin);
  if ('problem' in read) return silence(read.problem);
  const hooks = await hooksOf(args.harness);
  const call = readHook(hooks, { ...args, payload: read.payload });
  if (call === null) return silence(unknownEvent(args));
  if (call.request['sessionKey'] === undefined) {
    return silence('the payload names no session, so nothing of it can be kept');
  }
  const hook = withKey(call, deps.now());
  if (call.request.transcriptPath !== undefined) await pause(hooks.writesAfterMs ?? 0, deps.signal);
  const told = await deliver(hook, deps);
  if (told.kind !== 'answered') return silence(told.why);
  const answer = hooks.tellAnswer(call.event, told.answer);
  return { out: answer === '' ? '' : `${answer}\n`, err: '' };
}

/**
 * A name that is mistyped for one of ours: written as ours are, or for a program of which we know no names. Any other
 * may be an event of the program that says nothing to us.
 */
function unknownEvent({ name, harness }: HookArgs): string | undefined {
  if (hookEvents.some((event) => event === name)) return undefined;
  const isKnown = harnessOf(harness) !== null;
  if (isKnown && !/^[a-z]+(?:-[a-z]+)+$/.test(name)) return undefined;
  const own = isKnown ? `, and ${harness}'s own names` : '';
  return `there is no event ${JSON.stringify(name)}; there are ${hookEvents.join(', ')}${own}`;
}

/** Over at once when the program wants us gone: then the hook is kept. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms === 0 || signal.aborted) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    signal.addEventListener('abort', end, { once: true });
  });
}

/** When it happened, and by what it is known when it comes again. */
function withKey({ event, request }: HookCall, now: number): HookCall {
  const at = request.at ?? new Date(now).toISOString();
  return { event, request: { ...request, at, idempotencyKey: randomUUID() } };
}

/** What cannot be sent now is kept behind what waits already. */
async function deliver(hook: HookCall, deps: HookDeps): Promise<Posted> {
  const { server, spool } = findHookTarget(deps);
  const signal = anySignal([AbortSignal.timeout(limits.hookMs), deps.signal]);
  const posted = await send(hook, { server, spool, signal });
  if (posted.kind === 'answered' || posted.kind === 'refused') return posted;
  if (posted.kind === 'unsettled') {
    return { kind: 'away', why: `${posted.why}; ${keep(hook, spool && spool.unsettled())}` };
  }
  return { kind: 'away', why: `${posted.why}; ${keep(hook, spool)}` };
}

function keep(hook: HookCall, spool: HookSpool | null): string {
  if (spool === null) return 'not kept: there is no home';
  try {
    return spool.add(hook) ? 'kept for later' : 'not kept: too many wait already';
  } catch (error) {
    return `not kept: ${(error as Error).message}`;
  }
}

async function send(hook: HookCall, { server, spool, signal }: Way): Promise<Posted> {
  if (server === null) return { kind: 'away', why: 'no server is running' };
  if (spool !== null && spool.names().length > 0) {
    // Loaded only now: nearly every hook finds nothing that waits.
    const { sendSpooled } = await import('./send-spooled.ts');
    const isClear = await sendSpooled(spool, server, signal);
    if (!isClear) return { kind: 'away', why: 'hooks before it could not be sent yet' };
  }
  return postHook(server, hook, { signal });
}

interface Way {
  server: HookServer | null;
  spool: HookSpool | null;
  signal: AbortSignal;
}

function silence(why?: string): HookOutput {
  return { out: '', err: why === undefined ? '' : `offshoot hook: ${why}\n` };
}
