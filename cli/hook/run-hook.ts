/** One hook, from the program's payload to what is printed for the program. */
import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { HookSpool, SpooledHook } from '../../client/hook-spool.ts';
import { postHook, type HookServer, type Posted } from '../../client/post-hook.ts';
import { anySignal } from '../../contract/any-signal.ts';
import { limits } from '../../contract/limits.ts';
import { parseServerAddress } from '../../contract/server-address.ts';
import { hooksOf } from '../../harnesses/hooks-of.ts';
import { hookEvents, readHook, type HookCall } from '../../harnesses/hooks.ts';
import { harnesses, harnessOf } from '../../harnesses/names.ts';
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
  /** How long the server is waited for. */
  answerMs?: number;
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
  const { posted, trouble } = await deliver(hook, call.isUnread, deps);
  if (posted.kind !== 'answered') return silence(trouble, posted.why);
  const answer = hooks.tellAnswer(call.event, posted.answer);
  const { transcriptRefused: refused } = posted.answer;
  const why =
    typeof refused === 'string' ? `all but its transcript is kept: ${refused}` : undefined;
  return { ...silence(trouble, why), out: answer === '' ? '' : `${answer}\n` };
}

/**
 * A name that is mistyped for one of ours: written as ours are, or for a program of which we know no names. Any other
 * may be an event of the program that says nothing to us.
 */
function unknownEvent({ name, harness }: HookArgs): string | undefined {
  if (hookEvents.some((event) => event === name)) return undefined;
  const isKnown = harnessOf(harness) !== null;
  if (isKnown && !/^[a-z]+(?:-[a-z]+)+$/.test(name)) return undefined;
  const own = isKnown
    ? `, and ${harness}'s own names`
    : `; own names are known of ${harnesses.join(', ')}, not of ${JSON.stringify(harness)}`;
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
function withKey({ event, request }: HookCall, now: number): SpooledHook {
  const at = request.at ?? new Date(now).toISOString();
  // A file out of the server's reach must not cost the program what it is told.
  const optional = request.transcriptPath !== undefined && { transcriptOptional: true };
  return { event, request: { ...request, at, ...optional, idempotencyKey: randomUUID() } };
}

interface Delivered {
  posted: Posted;
  /** What keeps others of this home from being sent. */
  trouble?: string | undefined;
}

/** What cannot be sent now is kept behind what waits already. */
async function deliver(hook: SpooledHook, isUnread: boolean, deps: HookDeps): Promise<Delivered> {
  const { server, spool } = findHookTarget(deps);
  const signal = anySignal([AbortSignal.timeout(deps.answerMs ?? limits.hookMs), deps.signal]);
  const sent = await send(hook, { server, spool, signal, isUnread });
  const { posted, trouble } = sent;
  if (posted.kind === 'answered' || posted.kind === 'refused') return sent;
  const kept = keep(hook, posted.kind === 'unsettled' ? spool && spool.unsettled() : spool);
  const why = whyKept(posted, deps.environment);
  return { posted: { kind: 'away', why: `${why}; ${kept}` }, trouble };
}

/** The server cannot know which variable its caller has the token from. */
function whyKept({ kind, why }: Exclude<Posted, { kind: 'answered' }>, { token }: HookEnvironment) {
  if (kind !== 'locked') return why;
  const whose = token === null ? "the home's own token" : 'OFFSHOOT_TOKEN';
  return `${why.replace(/\.$/, '')}: ${whose} is not taken`;
}

function keep(hook: SpooledHook, spool: HookSpool | null): string {
  if (spool === null) return 'not kept: there is no home';
  try {
    return spool.add(hook) ? 'kept for later' : 'not kept: too many wait already';
  } catch (error) {
    return `not kept: ${(error as Error).message}`;
  }
}

async function send(hook: SpooledHook, way: Way): Promise<Delivered> {
  const { server, signal, isUnread } = way;
  if (server === null) {
    return { posted: { kind: 'away', why: 'no server is running: start it with `offshoot up`' } };
  }
  if (parseServerAddress(server.url) === null) {
    const why = `OFFSHOOT_URL is no address: ${JSON.stringify(server.url)}`;
    return { posted: { kind: 'away', why } };
  }
  const { isClear, trouble } = await sendWaiting(server, way);
  if (!isClear) {
    return { posted: { kind: 'away', why: 'hooks before it could not be sent yet' } };
  }
  const posted = await postHook(server, hook, { signal, isLate: isUnread });
  return { posted: posted.kind === 'away' ? inWords(posted, signal) : posted, trouble };
}

type Away = Extract<Posted, { kind: 'away' }>;

/** Of a request that came to nothing Node says what it did itself, and not what the server did. */
function inWords(away: Away, signal: AbortSignal): Away {
  if (away.isBroken === true)
    return { ...away, why: 'the server broke off before it had answered' };
  if (signal.aborted) return { ...away, why: 'the server did not answer in time' };
  return { ...away, why: away.why.trim() };
}

/** What waits goes first. Trouble with where it lies must not cost this one its way to a server that is there. */
async function sendWaiting(
  server: HookServer,
  { spool, signal }: Way,
): Promise<{ isClear: boolean; trouble?: string }> {
  try {
    if (spool === null || spool.names().length === 0) return { isClear: true };
    // Loaded only now: nearly every hook finds nothing that waits.
    const { sendSpooled } = await import('./send-spooled.ts');
    return { isClear: await sendSpooled(spool, { server, signal }) };
  } catch (error) {
    return { isClear: true, trouble: `what was kept cannot be sent: ${(error as Error).message}` };
  }
}

interface Way {
  isUnread: boolean;
  server: HookServer | null;
  spool: HookSpool | null;
  signal: AbortSignal;
}

/** Nothing for the program; for whoever looks, a line: some errors have several. */
function silence(...why: (string | undefined)[]): HookOutput {
  const said = why
    .filter((one) => one !== undefined)
    .map((one) => one.replaceAll(/\s*\n\s*/g, ' '))
    .join('; ');
  return { out: '', err: said === '' ? '' : `offshoot hook: ${said}\n` };
}
