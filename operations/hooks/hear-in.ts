/** A hook's one transaction: who may report the session, what is known of it from here on, and what the hook does. */
import { heardAt } from '../../contract/moments.ts';
import { claimSession, holderOf, refuseOtherPath } from '../../store/claims.ts';
import { findAnswer, keepAnswer } from '../../store/hook-answers.ts';
import { findSession, sessionById } from '../../store/sessions.ts';
import type { Tx } from '../../store/write-queue.ts';
import { hasEnded } from '../gate.ts';
import type { Brought } from './bring.ts';
import type { Heard, Hearing } from './hook.ts';
import { bypassedAnswer, isLeftAlone } from './left-alone.ts';
import { hearAgain, nameOf, transcriptName } from './repeat.ts';
import { leaveRest } from './said.ts';
import { refuseForeign, see } from './see.ts';
import { takeTranscript } from './take-transcript.ts';

export function hearIn<A extends object>(tx: Tx, hearing: Hearing<A>, brought: Brought): A {
  const { asking, agentId, about, caller, config, kind, hook, path, effect } = hearing;
  const isOver = asking !== null && hasEnded(tx.db, asking.id);
  const isRefused = brought.refusal !== null && hook.transcriptOptional !== true;
  const isUnread = caller.isLateHook || isRefused || isOver;
  const before = findSession(tx.db, agentId, about.sessionKey) ?? null;
  const holder =
    about.rootSessionKey === null ? before : findSession(tx.db, agentId, about.rootSessionKey);
  refuseForeign(tx, hearing, about.sessionKey, before);
  if (about.rootSessionKey !== null) refuseForeign(tx, hearing, about.rootSessionKey, holder);
  if (isLeftAlone(tx, hearing, before, holder)) return bypassedAnswer(kind.name) as A;
  const at = heardAt(hook.at, tx.now);
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
  const extraOf = { found: null, takeExtra };
  const heard: Heard = { tx, session: now, before, at, config, isNamed, ...came, ...extraOf };
  const answer = effect(heard);
  leaveRest(heard);
  if (name !== null) {
    // One whose file was refused has none: when it comes again, the file may be there.
    const transcript = transcriptName(hook, given);
    keepAnswer(tx, session.id, name.key, { answer, said: name.said, transcript });
  }
  return answer;
}
