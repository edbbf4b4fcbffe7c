import type { SubAgentRecord, Turn } from '../contract/records.ts';
import { limits } from '../contract/limits.ts';
import { isFinal } from '../contract/words.ts';
import { findInvocation } from '../store/invocations.ts';
import { listTurns } from '../store/turns.ts';
import type { Caller } from './caller.ts';
import type { Deps } from './deps.ts';
import { requireReadable } from './gate.ts';
import { recordOf } from './record.ts';

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
  const row = requireReadable(deps, caller, input.id);
  const hint = createHint(deps, caller, row.session_id, row.id);
  let after = input.after;
  try {
    while (!caller.gone.aborted) {
      // The state is read before the turns: whoever is final here has written its last turn.
      const state = findInvocation(deps.store.db, row.id);
      const { turns } = listTurns(deps.store.db, {
        sessionId: row.session_id,
        invocationId: row.id,
        after,
        limit: limits.transcriptPageDefault,
        // Of a slow reader the rest of the page stays in memory until it is taken.
        bytesMax: limits.streamPageBytesMax,
      });
      for (const turn of turns) {
        after = turn.seq;
        yield { id: turn.seq, event: 'turn', data: turn };
      }
      if (turns.length > 0) continue;
      if (!state) return;
      if (isFinal(state.status)) {
        yield { id: after, event: 'end', data: recordOf(deps, state) };
        return;
      }
      await hint.next();
    }
  } finally {
    hint.close();
  }
}

/** Remembers that something happened since the last look, and wakes a waiting reader. */
function createHint(deps: Deps, caller: Caller, sessionId: number, invocationId: string) {
  let isDirty = false;
  let wake: (() => void) | null = null;
  const stir = () => {
    isDirty = true;
    wake?.();
  };
  const stopListening = deps.store.changes.listen((change) => {
    if (change.kind === 'turn' && change.sessionId === sessionId) stir();
    if (change.kind === 'final' && change.invocationId === invocationId) stir();
  });
  caller.gone.addEventListener('abort', stir, { once: true });
  return {
    async next() {
      if (!isDirty) await new Promise<void>((resolve) => (wake = resolve));
      isDirty = false;
      wake = null;
    },
    close() {
      stopListening();
      caller.gone.removeEventListener('abort', stir);
    },
  };
}
