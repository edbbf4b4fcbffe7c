/** Sessions: registering external ones, their mail, and deleting. */
import { isAbsolute } from 'node:path';
import { AppError } from '../contract/errors.ts';
import type { OperationOutput, ParsedInput } from '../contract/operations.ts';
import type { Callback, Deleted, SessionRecord } from '../contract/records.ts';
import { reach } from '../faults/reach.ts';
import { canonicalName } from '../harnesses/names.ts';
import { envelopeOf } from '../store/callbacks.ts';
import { removeSession } from '../store/lifecycle/remove.ts';
import { statusOf } from '../store/invocations.ts';
import { acknowledge, callbacksOf, type CallbackRow } from '../store/mailbox.ts';
import { queueSessionPoke } from '../store/outbox.ts';
import { sessionRecord } from '../store/session-record.ts';
import { findSession, registerSession as register } from '../store/sessions.ts';
import { appendTurn } from '../store/turns.ts';
import type { Caller } from './caller.ts';
import type { Deps } from './deps.ts';
import { askingInvocation, requireSession } from './gate.ts';
import { ownAgent, requireInProject, requireReach, scopeOf } from './scope.ts';
import { requireOwnKey, whoseAgent } from './whose-agent.ts';

export async function registerSession(
  deps: Deps,
  caller: Caller,
  input: ParsedInput<'registerSession'>,
): Promise<SessionRecord> {
  const asking = askingInvocation(deps, caller);
  if (asking) throw new AppError('forbidden', "a child's token registers no sessions");
  const { projectIfNone } = input;
  for (const [name, path] of Object.entries({ project: input.project, projectIfNone })) {
    if (path === undefined || isAbsolute(path)) continue;
    throw new AppError('bad_request', `${name}: must be an absolute path`);
  }
  const agentId =
    ownAgent(caller, input.agentId) ?? whoseAgent(deps, null, { sessionKey: input.key });
  const row = await deps.store.write((tx) => {
    const known = findSession(tx.db, agentId, input.key);
    const isNew = known === undefined;
    const project = input.project ?? known?.project ?? projectIfNone ?? null;
    // Neither one that is out of reach is touched, nor is one moved there.
    if (known) requireInProject(caller, known.project);
    requireInProject(caller, project);
    if (isNew && scopeOf(caller)) requireOwnKey(agentId, input.key);
    const session = register(tx, {
      agentId,
      sessionKey: input.key,
      harness: input.harness === undefined ? null : canonicalName(input.harness),
      project,
      title: input.title ?? null,
    });
    // Its workflow shows it in Temporal UI from its beginning on.
    if (isNew) queueSessionPoke(tx, session.id);
    return session;
  });
  return sessionRecord(deps.store.db, row);
}

export async function deleteSession(
  deps: Deps,
  caller: Caller,
  input: ParsedInput<'deleteSession'>,
): Promise<Deleted> {
  const session = requireSession(deps, caller, input);
  if (askingInvocation(deps, caller)?.session_id === session.id) {
    throw new AppError('forbidden', 'an agent cannot delete its own session');
  }
  return deps.store.write((tx) =>
    removeSession(tx, session, requireReach(caller, session.session_key)),
  );
}

export async function getCallbacks(
  deps: Deps,
  caller: Caller,
  input: ParsedInput<'getCallbacks'>,
): Promise<OperationOutput<'getCallbacks'>> {
  const session = requireSession(deps, caller, input);
  const { rows, remaining } = callbacksOf(deps.store.db, session.id, {
    state: input.status,
    after: input.after ?? null,
  });
  return { callbacks: rows.map((row) => callbackRecord(deps, row)), remaining };
}

/** Reading is what delivers: the transcript gets its turn, and nothing is handed over again. */
export async function ackCallbacks(
  deps: Deps,
  caller: Caller,
  input: ParsedInput<'ackCallbacks'>,
): Promise<OperationOutput<'ackCallbacks'>> {
  const session = requireSession(deps, caller, input);
  const asking = askingInvocation(deps, caller);
  const rows = await deps.store.write((tx) => {
    const known = acknowledge(tx, session.id, input.ids);
    for (const row of known) {
      appendTurn(tx, {
        sessionId: session.id,
        role: 'callback',
        text: envelopeOf(tx.db, row),
        src: `callback:${row.id}`,
        ...(asking ? { invocationId: asking.id } : {}),
      });
    }
    return known;
  });
  reach('acknowledged');
  const unknown = input.ids.filter((id) => !rows.some((row) => row.id === id));
  if (unknown.length > 0) {
    throw new AppError('not_found', `no such callbacks for ${input.key}: ${unknown.join(', ')}`, {
      hint: 'The others that were named are acknowledged.',
    });
  }
  return { acknowledged: rows.map((row) => row.id) };
}

function callbackRecord(deps: Deps, row: CallbackRow): Callback {
  return {
    id: row.id,
    invocationId: row.invocation_id,
    status: statusOf(deps.store.db, row.invocation_id)!,
    state: row.state,
    createdAt: row.created_at,
    envelope: envelopeOf(deps.store.db, row),
  };
}
