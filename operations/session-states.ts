/** Sessions as they are now: listing, bypassing and renewing them, and who is there. */
import { AppError } from '../contract/errors.ts';
import { hints } from '../contract/hints.ts';
import { limits } from '../contract/limits.ts';
import type { OperationOutput, ParsedInput } from '../contract/operations.ts';
import type { SessionState } from '../contract/records.ts';
import { canonicalName } from '../harnesses/names.ts';
import { bypassStates, setBypassed } from '../store/bypass.ts';
import { claimSession, holderOf } from '../store/claims.ts';
import { lately } from '../store/session-now.ts';
import { listSessionRows, presence, sessionState } from '../store/session-states.ts';
import { sessionById, type SessionRow } from '../store/sessions.ts';
import type { Caller } from './caller.ts';
import type { Deps } from './deps.ts';
import { requireInProject, scopeOf } from './scope.ts';
import { agentOf, askingInvocation, requireSession } from './gate.ts';

export async function listSessions(
  deps: Deps,
  caller: Caller,
  input: ParsedInput<'listSessions'>,
): Promise<OperationOutput<'listSessions'>> {
  const { db } = deps.store;
  const now = deps.store.now();
  const rows = listSessionRows(db, {
    agentId: agentOf(deps, caller, input.agentId),
    project: projectAsked(caller, input.project),
    harness: input.harness === undefined ? null : canonicalName(input.harness),
    since: input.since === undefined ? null : new Date(input.since).toISOString(),
    activeSince: input.active ? lately(now) : null,
    now,
    below: askingInvocation(deps, caller)?.session_id ?? null,
    before: input.cursor === undefined ? null : readCursor(input.cursor),
    limit: input.limit + 1,
  });
  const page = rows.slice(0, input.limit);
  return {
    sessions: page.map((row) => sessionState(db, row, now)),
    count: page.length,
    nextCursor: rows.length > input.limit ? writeCursor(page.at(-1)!) : null,
  };
}

export async function getSession(
  deps: Deps,
  caller: Caller,
  input: ParsedInput<'getSession'>,
): Promise<SessionState> {
  return sessionState(deps.store.db, requireSession(deps, caller, input), deps.store.now());
}

export async function bypassSession(
  deps: Deps,
  caller: Caller,
  input: ParsedInput<'bypassSession'>,
): Promise<OperationOutput<'bypassSession'>> {
  return deps.store.write((tx) => {
    const { id, session_key: key } = requireSession(deps, caller, input);
    setBypassed(tx, id, input.enabled ? bypassStates.on : bypassStates.off);
    return { key, bypassed: input.enabled };
  });
}

export async function renewSession(
  deps: Deps,
  caller: Caller,
  input: ParsedInput<'renewSession'>,
): Promise<OperationOutput<'renewSession'>> {
  return deps.store.write((tx) => {
    const session = requireSession(deps, caller, input);
    const { id, session_key: key } = session;
    const holder = holderOf(session, tx.now);
    if (holder === null) return { key, renewed: false, expiresAt: null };
    claimSession(tx, session, holder);
    return { key, renewed: true, expiresAt: sessionById(tx.db, id).claim_expires_at };
  });
}

/** A token for a project lists what is in it, or in a part of it. */
function projectAsked(caller: Caller, named: string | undefined): string | null {
  if (named === undefined) return scopeOf(caller)?.project ?? null;
  requireInProject(caller, named);
  return named;
}

/** Who else is at work may be known across agents; what they say may not. */
export async function getPresence(
  deps: Deps,
  caller: Caller,
): Promise<OperationOutput<'getPresence'>> {
  askingInvocation(deps, caller);
  return { agents: presence(deps.store.db, lately(deps.store.now()), limits.pageMax) };
}

const writeCursor = ({ id, updated_at: at }: SessionRow) =>
  Buffer.from(`s${id} ${at}`).toString('base64url');

function readCursor(cursor: string): { updatedAt: string; id: number } {
  const text = Buffer.from(cursor, 'base64url').toString();
  const [, id, updatedAt] = /^s(\d{1,15}) (\d{4}-[\dT:.Z-]+)$/.exec(text) ?? [];
  if (id !== undefined && updatedAt !== undefined) return { id: Number(id), updatedAt };
  throw new AppError('bad_request', 'cursor: is not one that a list has given', {
    hint: hints.nextPage.http,
  });
}
