import type { ContextBlock } from '../../contract/records.ts';
import { canonicalName } from '../../harnesses/names.ts';
import { giverOf, inherit, inheritedBy } from '../../store/context-block.ts';
import { findSession, type SessionRow } from '../../store/sessions.ts';
import type { Caller } from '../caller.ts';
import type { Deps } from '../deps.ts';
import { isOwn, scopeOf } from '../scope.ts';
import { aboutSession, hear } from './hear.ts';
import type { Heard, Hook, HookKind } from './hook.ts';

/**
 * What the parent knows, for a child's model to read; what nobody reads is not kept as given. An edge may have been
 * made by somebody who reaches further than this caller, or a session have moved since: then it is told nothing.
 */
export function inheritedText(
  { tx, session, config, isUnread }: Heard,
  caller: Caller,
  { isAnew }: { isAnew: boolean },
): string {
  if (isUnread) return '';
  const mayRead = (giver: SessionRow) => isOwn(caller, giver);
  const block = inherit(tx, config(), session, { mayRead, isAnew });
  if (block === null) return '';
  return block.isRepeat ? stubOf(block) : block.text;
}

/**
 * A start that comes again is answered as it was first, when it may have been told to somebody who reaches further: whose
 * words they are is asked again. One line in place of words is nobody's, and is left out.
 */
export async function hearStart<A extends { inject: string }>(
  deps: Deps,
  caller: Caller,
  kind: HookKind,
  hook: Hook,
  effect: (heard: Heard) => A,
): Promise<A | undefined> {
  let isRepeat = true;
  const answer = await hear(deps, caller, kind, hook, (heard) => {
    isRepeat = false;
    return effect(heard);
  });
  const scope = scopeOf(caller);
  if (!answer?.inject || !isRepeat || !scope?.project) return answer;
  const { db } = deps.store;
  const told = { ...hook, harness: canonicalName(hook.harness) };
  const { sessionKey } = aboutSession(deps, scope.agentId, kind, told, hook.sessionKey ?? '');
  const session = findSession(db, scope.agentId, sessionKey);
  const giver = session && giverOf(db, session.id, answer.inject);
  return giver && isOwn(caller, giver) ? answer : { ...answer, inject: '' };
}

/** Copilot puts what a sub-agent's start was answered with before its task: nobody has said that. */
export function withoutInherited({ tx, session }: Heard, words: string | undefined) {
  const given =
    session.harness_agent_id === null ? null : inheritedBy(tx.db, session)?.text.trimEnd();
  return given && words?.startsWith(given) ? words.slice(given.length).trimStart() : words;
}

/** One line in place of words that the model has already. */
const stubOf = ({ sources }: ContextBlock) =>
  `## Inherited from Parent Session\n\nAs told before (${sources.parentSessionId}).`;
