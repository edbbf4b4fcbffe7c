import type { SubAgentRecord, Turn } from '../contract/records.ts';
import { limits } from '../contract/limits.ts';
import { isFinal } from '../contract/words.ts';
import { findInvocation, type InvocationRow } from '../store/invocations.ts';
import { turnAt, turnSizes } from '../store/turns.ts';
import { wordBytesOf, wordsOf } from '../store/words.ts';
import type { Caller } from './caller.ts';
import type { Deps } from './deps.ts';
import { mayRead, requireReadable } from './gate.ts';
import { noWords, recordOf } from './record.ts';
import { createHint } from './watch-hint.ts';
import { requirePermission } from './scope.ts';

export type Watched =
  { id: number; event: 'turn'; data: Turn } | { id: number; event: 'end'; data: SubAgentRecord };

/**
 * The turns of one invocation, first those that are there, then each as it comes; `end` is the last.
 * Always read from the store: a change is only a hint, so nothing is missed and nothing comes twice.
 */
export async function* watchSubagent(
  deps: Deps,
  caller: Caller,
  input: { id: string; after: number },
): AsyncIterable<Watched> {
  requirePermission(caller, 'getTranscript');
  const row = requireReadable(deps, caller, input.id);
  const hint = createHint(
    deps,
    caller,
    (change) =>
      (change.kind === 'turn' && change.sessionId === row.session_id) ||
      (change.kind === 'final' && change.invocationId === row.id),
  );
  let after = input.after;
  try {
    while (!caller.gone.aborted) {
      // The state is read before the turns: whoever is final here has written its last turn.
      const state = findInvocation(deps.store.db, row.id);
      if (!state || !mayRead(deps, caller, state)) return;
      const { id, session_id: sessionId } = row;
      const limit = limits.transcriptPageDefault;
      // Only their numbers: what a slow reader has not taken yet is not held for it.
      const news = turnSizes(deps.store.db, { sessionId, invocationId: id, after, limit });
      for (const { seq, bytes } of news) {
        const data = turnOf(deps, sessionId, seq, bytes);
        if (!data) return;
        after = seq;
        yield { id: seq, event: 'turn', data };
      }
      if (news.length > 0) continue;
      if (isFinal(state.status)) {
        yield { id: after, event: 'end', data: endingOf(deps, state) };
        return;
      }
      await hint.next();
    }
  } finally {
    hint.close();
  }
}

/** A turn never changes, so those who hear of it at the same time share one. */
function turnOf(deps: Deps, sessionId: number, seq: number, bytes: number): Turn | undefined {
  return deps.shared.get(`turn ${sessionId} ${seq}`, bytes, () =>
    turnAt(deps.store.db, sessionId, seq),
  );
}

/** All but the words tells whether it is still the same ending. */
function endingOf(deps: Deps, row: InvocationRow): SubAgentRecord {
  const key = `end ${JSON.stringify(recordOf(deps, row, noWords))}`;
  const words = () => wordsOf(deps.store.db, row.id) ?? noWords;
  return deps.shared.get(key, wordBytesOf(deps.store.db, row.id), () =>
    recordOf(deps, row, words()),
  )!;
}
