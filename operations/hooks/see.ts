/** Whose session a hook is, as the store knows it from then on. */
import { limits } from '../../contract/limits.ts';
import type { Db } from '../../store/database.ts';
import type { InvocationRow } from '../../store/invocations.ts';
import { isAtOrAbove, lineageOf, linkSession } from '../../store/lineage.ts';
import { queueSessionPoke } from '../../store/outbox.ts';
import { sessionsFrom } from '../../store/session-family.ts';
import {
  findSession,
  registerSession,
  sessionById,
  setEnded,
  type SessionRow,
} from '../../store/sessions.ts';
import type { Tx } from '../../store/write-queue.ts';
import { ended, hasEnded } from '../gate.ts';
import { isOwn, outside, scopeOf } from '../scope.ts';
import { requireOwnKey } from '../whose-agent.ts';
import type { Heard, Hearing, HookKind } from './hook.ts';
import { pokeParent } from './poke-parent.ts';

/** The session is known from here on, with its edge; workflows hear of its beginning and of a new child. */
export function see<A>(
  tx: Tx,
  hearing: Hearing<A>,
  before: SessionRow | null,
  at: string,
): SessionRow {
  const { asking, agentId, about, caller, config, kind, hook, askedBy } = hearing;
  if (about.rootSessionKey !== null) seeRoot(tx, hearing, about.rootSessionKey, at);
  // What is told late says nothing anew that may have been said since.
  const since = caller.isLateHook && before !== null && at < before.updated_at ? before : null;
  const told = {
    agentId,
    sessionKey: about.sessionKey,
    harness: hook.harness,
    project: since?.project ?? hook.project ?? null,
    title: since?.title ?? hook.title ?? null,
    at,
  };
  const session = registerSession(tx, told, before ?? undefined);
  const goesOn = session.ended_at !== null && isAfterEnd(hearing, session.ended_at, at);
  if (goesOn) setEnded(tx, session, null);
  const above = lineageOf(tx.db, session.id)?.parent_session_id;
  const edge = linkSession(
    tx,
    session,
    {
      parentSessionKey: hook.parentSessionKey ?? null,
      spawnedBy: asking?.session_key ?? null,
      rootSessionKey: about.rootSessionKey,
      harnessAgentId: hook.harnessAgentId ?? null,
      parentAgentId: hook.parentHarnessAgentId ?? askedBy,
      isStart: kind.isStart ?? false,
    },
    {
      at,
      parentIdleHours: () => config().parentIdleHours,
      mayBeParent: (parent) => isWithin(tx.db, hearing, parent),
    },
  );
  if (before === null || goesOn) queueSessionPoke(tx, session.id);
  const isMoved = edge?.parent_session_id !== above;
  if (isMoved && before !== null) pokeMoved(tx, session, above);
  if (isMoved || goesOn) pokeParent(tx, session);
  return { ...session, harness_agent_id: session.harness_agent_id ?? hook.harnessAgentId ?? null };
}

/** Its workflow shows where it stands, those below it under which root, and the parent it had how many it has. */
function pokeMoved(tx: Tx, session: SessionRow, above: number | undefined): void {
  const touched = [...sessionsFrom(tx.db, session.id), ...(above === undefined ? [] : [above])];
  for (const id of touched) {
    if (sessionById(tx.db, id).kind === 'external') queueSessionPoke(tx, id);
  }
}

/** The session that a sub-agent is in: its start may be the first that is heard of either. */
function seeRoot<A>(tx: Tx, hearing: Hearing<A>, sessionKey: string, at: string): void {
  const { agentId, hook, kind } = hearing;
  if (findSession(tx.db, agentId, sessionKey) !== undefined) return;
  const about = { sessionKey, rootSessionKey: null };
  const { harness, project } = hook;
  see(
    tx,
    {
      ...{ ...hearing, about, askedBy: null, kind: { name: kind.name } },
      hook: { harness, project, extra: null },
    },
    null,
    at,
  );
}

/** How far two clocks may be apart: that of the program, and the one by which the end was told. */
export const clocksApartMs = 5 * 60_000;

/**
 * What was said before it had ended, and comes late, does not begin it again. A start or prompt that comes now does,
 * also by a clock that is somewhat behind: what runs must not be taken for over until its clock has come after.
 */
function isAfterEnd<A>({ kind, hook, caller }: Hearing<A>, endedAt: string, at: string): boolean {
  if (kind.isEnd === true) return false;
  if (at >= endedAt) return true;
  if (!isBeginning(kind)) return false;
  if (hook.at === undefined) return true;
  return !caller.isLateHook && Date.parse(at) >= Date.parse(endedAt) - clocksApartMs;
}

/** An end that is told late, of a session that has been at work since: it is not over. */
export const hasGoneOn = ({ isLate, before, at }: Heard): boolean =>
  isLate && before?.ended_at === null && wasAtWorkSince(before, at);

export const wasAtWorkSince = ({ updated_at: lastAt }: SessionRow, at: string): boolean =>
  Date.parse(lastAt) > Date.parse(at) + clocksApartMs;

export type Reporter = Pick<Hearing<unknown>, 'asking' | 'caller'>;

/** A child's token reports its own session and those below it, and new ones, which become its own. */
export function isWithin(db: Db, { asking, caller }: Reporter, session: SessionRow): boolean {
  const isBelow = asking === null || isAtOrAbove(db, asking.session_id, session.id);
  return isBelow && isOwn(caller, session);
}

/**
 * Neither a known session of somebody else's is reported, nor a new one under another agent's key. Whose invocation has
 * ended reports no more than what comes late of its own program.
 */
export function refuseForeign<A>(
  tx: Tx,
  hearing: Hearing<A>,
  sessionKey: string,
  session: SessionRow | null | undefined,
): void {
  const { asking, agentId, caller } = hearing;
  if (session && !isWithin(tx.db, hearing, session)) throw outside(sessionKey);
  if (!session && (asking || scopeOf(caller))) requireOwnKey(agentId, sessionKey);
  if (!asking || !hasEnded(tx.db, asking.id)) return;
  const isHeard = session ? isOfProgram(tx, asking, session) : isOfItsRun(tx, hearing, asking);
  if (!isHeard) throw ended(asking.id);
}

/**
 * A session that it began while the server was away, told by what was kept meanwhile. What it says of the time is its
 * own word: for how long it may say so is ours.
 */
function isOfItsRun<A>(tx: Tx, { caller, hook }: Hearing<A>, asking: InvocationRow): boolean {
  if (!caller.isLateHook || hook.at === undefined) return false;
  const at = Date.parse(hook.at);
  const [from, to] = [asking.started_at ?? asking.created_at, asking.completed_at ?? tx.now];
  const isInTime = Date.parse(tx.now) - Date.parse(to) <= limits.lateSessionMs;
  const isOfRun = at >= Date.parse(from) - clocksApartMs && at <= Date.parse(to) + clocksApartMs;
  return isInTime && isOfRun;
}

/** What the invocation's own program has reported: the agents that it has started have tokens of their own. */
function isOfProgram(tx: Tx, { session_id: own }: InvocationRow, session: SessionRow): boolean {
  let at: SessionRow | null = session;
  while (at && at.id !== own && at.kind === 'external') {
    const edge = lineageOf(tx.db, at.id);
    at = edge ? sessionById(tx.db, edge.parent_session_id) : null;
  }
  return at?.id === own;
}

export const isBeginning = ({ isStart, name }: HookKind) =>
  isStart === true || name === 'hookUserPromptSubmit';
