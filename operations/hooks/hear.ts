/** What all hooks have in common: whose session it is, whether it may be reported, and one transaction. */
import { AppError } from '../../contract/errors.ts';
import { heardAt } from '../../contract/moments.ts';
import {
  operations,
  type OperationDeclaration,
  type OperationName,
} from '../../contract/operations.ts';
import type { RuntimePath } from '../../contract/words.ts';
import { askingThread } from '../../harnesses/codex/threads.ts';
import { canonicalName } from '../../harnesses/names.ts';
import { bypassStates, setBypassed } from '../../store/bypass.ts';
import { claimSession, holderOf, refuseOtherPath, releaseClaim } from '../../store/claims.ts';
import { findAnswer, keepAnswer } from '../../store/hook-answers.ts';
import type { ContextConfig } from '../../store/context-block.ts';
import type { InvocationRow } from '../../store/invocations.ts';
import { reportedSession } from '../../store/lineage.ts';
import type { ReadTurn } from '../../store/reading-order.ts';
import { findSession, sessionById, type SessionRow } from '../../store/sessions.ts';
import { snapshotOf } from '../../store/snapshots.ts';
import type { Tx } from '../../store/write-queue.ts';
import { meetAgent } from '../agents.ts';
import type { Caller } from '../caller.ts';
import type { Deps } from '../deps.ts';
import { askingInvocation, hasEnded } from '../gate.ts';
import { requireInProject, scopeOf } from '../scope.ts';
import { whoseAgent } from '../whose-agent.ts';
import { setOver } from './end-session.ts';
import { isOwnTranscript } from './own-transcript.ts';
import { givenInline, readTranscript, type GivenTranscript } from './read-transcript.ts';
import { hearAgain, nameOf, transcriptName } from './repeat.ts';
import { leaveRest } from './said.ts';
import { isBeginning, refuseForeign, see, type Reporter } from './see.ts';
import { NeedsWhole, takeTranscript } from './take-transcript.ts';

/** Fields that hooks share; each has those that its schema has. */
export interface Hook {
  harness: string;
  sessionKey?: string | undefined;
  /** Only beside a `sessionKey`: alone it is taken for that. */
  sessionId?: string | undefined;
  agentId?: string | undefined;
  harnessAgentId?: string | undefined;
  parentSessionKey?: string | undefined;
  parentHarnessAgentId?: string | undefined;
  childSessionKey?: string | undefined;
  project?: string | undefined;
  title?: string | undefined;
  at?: string | undefined;
  runtimePath?: RuntimePath | undefined;
  idempotencyKey?: string | undefined;
  transcript?: string | undefined;
  transcriptPath?: string | undefined;
  /** Its answer is wanted also where the transcript is refused. */
  transcriptOptional?: boolean | undefined;
  extra: Record<string, unknown> | null;
}

export interface Heard {
  tx: Tx;
  /** As it is now. */
  session: SessionRow;
  /** As it was before this hook; null where no hook of it had come. */
  before: SessionRow | null;
  at: string;
  config: () => ContextConfig;
  /** It came with a transcript that could be read. */
  hasTranscript: boolean;
  /** What is read last, where that transcript has brought it. */
  end: ReadTurn | null;
  /** Nobody reads its answer: it comes late, is refused for its transcript, or is of an agent that has ended. */
  isUnread: boolean;
  /** It was kept: what came after it may be known already. */
  isLate: boolean;
  /** It has a key or a time of its own: the same words under another one are said again. */
  isNamed: boolean;
  /** What no hook knows, for the first turn that this one adds, or else finds. */
  takeExtra(): Record<string, unknown> | null;
}

export interface HookKind {
  name: OperationName;
  isStart?: boolean;
  isEnd?: boolean;
  isAboutSubagent?: boolean;
  /** Its transcript should be there by now: a path to none is a mistake. */
  needsTranscript?: boolean;
}

/** Undefined where the hook names no session: then nothing is kept but that there is such an agent. */
export async function hear<A extends object>(
  deps: Deps,
  caller: Caller,
  kind: HookKind,
  given: Hook,
  effect: (heard: Heard) => A,
): Promise<A | undefined> {
  const hook = { ...given, harness: canonicalName(given.harness) };
  const asking = askingInvocation(deps, caller);
  const scope = scopeOf(caller);
  const agentId = whoseAgent(deps, asking ?? (scope && { agent_id: scope.agentId }), hook);
  if (hook.sessionKey === undefined) {
    await meetAgent(deps, agentId);
    return undefined;
  }
  requireInScope(deps, caller, agentId, hook);
  const about = aboutSession(deps, agentId, kind, hook, hook.sessionKey);
  // One after the other: what is read of a file depends on what the hook before has read of it.
  return deps.oneAtATime(`hook ${agentId} ${about.sessionKey}`, async () => {
    const reported = { asking, caller, agentId, sessionKey: about.sessionKey, kind, hook };
    const brought = await bring(deps, reported, false);
    // A mistake in the file keeps nothing that is reported from being kept.
    const config = () => deps.lastGoodConfig().memory.pipelineV2.subagents;
    const work = (from: Brought) => (tx: Tx) =>
      hearIn(
        tx,
        {
          asking,
          agentId,
          about,
          caller,
          config,
          kind,
          hook,
          effect,
          askedBy: askerOf(hook, from),
        },
        from,
      );
    try {
      return answerAfter(await deps.store.write(work(brought)), hook, brought);
    } catch (error) {
      if (!(error instanceof NeedsWhole)) throw error;
      const whole = await bring(deps, reported, true);
      return answerAfter(await deps.store.write(work(whole)), hook, whole);
    }
  });
}

/** A token for a project reports sessions of that project, known ones and new ones. */
function requireInScope(deps: Deps, caller: Caller, agentId: string, hook: Hook): void {
  if (scopeOf(caller) === null) return;
  const known = findSession(deps.store.db, agentId, hook.sessionKey ?? '');
  if (known) requireInProject(caller, known.project);
  if (!known || hook.project !== undefined) requireInProject(caller, hook.project);
}

export interface About {
  sessionKey: string;
  rootSessionKey: string | null;
}

export function aboutSession(
  deps: Deps,
  agentId: string,
  kind: HookKind,
  hook: Hook,
  sessionKey: string,
): About {
  if (hook.childSessionKey !== undefined) {
    return { sessionKey: hook.childSessionKey, rootSessionKey: sessionKey };
  }
  return reportedSession(deps.store.db, {
    agentId,
    harness: hook.harness,
    sessionKey,
    harnessAgentId: hook.harnessAgentId ?? null,
    isAboutSubagent: kind.isAboutSubagent ?? false,
  });
}

interface Brought {
  transcript: GivenTranscript | null;
  /** Why the file that it names was not read. What came inline is kept all the same. */
  refusal: AppError | null;
}

interface Reported extends Reporter {
  agentId: string;
  /** The session that it is about. */
  sessionKey: string;
  kind: HookKind;
  hook: Hook;
}

async function bring(deps: Deps, reported: Reported, isWhole: boolean): Promise<Brought> {
  const { agentId, sessionKey, kind, hook } = reported;
  const { transcript, transcriptPath: path } = hook;
  try {
    if (transcript !== undefined) return { transcript: givenInline(transcript), refusal: null };
    if (path === undefined) return { transcript: null, refusal: null };
    const isOwn = (real: string) => isOwnTranscript(deps.store.db, reported, hook, real);
    const session = isWhole ? undefined : findSession(deps.store.db, agentId, sessionKey);
    const known = session ? snapshotOf(session) : null;
    const given = await readTranscript(path, deps.transcriptRoots(), known, isOwn);
    const isMissing = given === null && kind.needsTranscript === true;
    const missing = () => new AppError('not_found', `transcriptPath: there is no file ${path}`);
    return { transcript: given, refusal: isMissing ? missing() : null };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { transcript: null, refusal: error };
  }
}

/** Of the sub-agent that a hook is about, where it does not say so itself and its transcript does. */
function askerOf({ harness, sessionKey, harnessAgentId }: Hook, { transcript }: Brought) {
  if (harness !== 'codex' || harnessAgentId === undefined || transcript === null) return null;
  const asking = transcript.start === 0 ? askingThread(transcript.content) : null;
  return asking === sessionKey || asking === harnessAgentId ? null : asking;
}

function answerAfter<A extends object>(answer: A, hook: Hook, { refusal }: Brought): A {
  if (refusal === null || 'bypassed' in answer) return answer;
  if (hook.transcriptOptional !== true) throw refusal;
  const { message, hint } = refusal;
  return { ...answer, transcriptRefused: hint === null ? message : `${message}. ${hint}` };
}

export interface Hearing<A> {
  asking: InvocationRow | null;
  agentId: string;
  about: About;
  caller: Caller;
  /** Its file is looked at each time; most hooks ask for nothing in it. */
  config: () => ContextConfig;
  kind: HookKind;
  hook: Hook;
  /** The sub-agent that asked for this one, as its transcript says. */
  askedBy: string | null;
  effect: (heard: Heard) => A;
}

function hearIn<A extends object>(tx: Tx, hearing: Hearing<A>, brought: Brought): A {
  const { asking, agentId, about, caller, config, kind, hook, effect } = hearing;
  const isOver = asking !== null && hasEnded(tx.db, asking.id);
  const isRefused = brought.refusal !== null && hook.transcriptOptional !== true;
  const isUnread = caller.isLateHook || isRefused || isOver;
  const before = findSession(tx.db, agentId, about.sessionKey) ?? null;
  const holder =
    about.rootSessionKey === null ? before : findSession(tx.db, agentId, about.rootSessionKey);
  refuseForeign(tx, hearing, about.sessionKey, before);
  if (about.rootSessionKey !== null) refuseForeign(tx, hearing, about.rootSessionKey, holder);
  if (isLeftAlone(tx, hearing, before, holder)) return bypassedAnswer(kind.name) as A;
  const path = caller.runtimePath ?? hook.runtimePath ?? null;
  const at = timeOf(tx, hook);
  const taken = { harness: hook.harness, at, isFinal: kind.isEnd ?? false };
  const given = brought.transcript;
  const name = nameOf(kind, caller, hook);
  const kept = before && name !== null ? findAnswer(tx, before.id, name.key) : undefined;
  if (before && name && kept) {
    const again = { name, kept, hook, given, isUnread, path, holder: holder ?? null, taken };
    return hearAgain(tx, before, again) as A;
  }
  for (const session of [before, holder]) if (session) refuseOtherPath(session, path, tx.now);

  const session = see(tx, hearing, before, at);
  // What comes late, from before its end, does not make it go on: nobody holds what is over.
  const isLeftOver = before?.ended_at && sessionById(tx.db, session.id).ended_at !== null;
  if (path !== null && !isLeftOver) {
    claimSession(tx, before ?? session, path, at);
    const isOfHolder = holder && holder !== before && holderOf(holder, tx.now) === path;
    if (isOfHolder) claimSession(tx, holder, path, at);
  }
  const end = given && takeTranscript(tx, session, given, taken);
  let extra = hook.extra;
  const takeExtra = () => {
    const left = extra;
    extra = null;
    return left;
  };
  const now = sessionById(tx.db, session.id);
  const came = { isUnread, isLate: caller.isLateHook, hasTranscript: given !== null, end };
  const isNamed = name !== null;
  const heard: Heard = { tx, session: now, before, at, config, isNamed, ...came, takeExtra };
  const answer = effect(heard);
  leaveRest(heard);
  if (name !== null) {
    // One whose file was refused has none: when it comes again, the file may be there.
    const transcript = transcriptName(hook, given);
    keepAnswer(tx, session.id, name.key, { answer, said: name.said, transcript });
  }
  return answer;
}

const timeOf = (tx: Tx, { at }: Hook) => heardAt(at, tx.now);

/**
 * Bypass lasts until the session ends. What comes behind the end, as a repeat or late, is still of the
 * session that was bypassed: only what begins it again is heard.
 */
function isLeftAlone<A>(
  tx: Tx,
  { kind, hook, caller }: Hearing<A>,
  before: SessionRow | null,
  holder: SessionRow | null | undefined,
): boolean {
  if (holder !== before && holder?.bypassed) return true;
  if (!before?.bypassed) return false;
  const at = timeOf(tx, hook);
  if (before.bypassed === bypassStates.over && isBeginning(kind) && at >= (before.ended_at ?? '')) {
    setBypassed(tx, before.id, bypassStates.off);
    return false;
  }
  if (kind.isEnd === true && before.bypassed === bypassStates.on) {
    const path = caller.runtimePath ?? hook.runtimePath ?? null;
    const holding = holderOf(before, tx.now);
    if (path === null || holding === null || holding === path) releaseClaim(tx, before.id);
    setOver(tx, before, at);
    setBypassed(tx, before.id, bypassStates.over);
  }
  return true;
}

function bypassedAnswer(name: OperationName): object {
  const operation: OperationDeclaration = operations[name];
  return { ...operation.idle, bypassed: true };
}
