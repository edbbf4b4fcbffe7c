import type { OperationOutput, ParsedInput } from '../../contract/operations.ts';
import type { Caller } from '../caller.ts';
import type { Deps } from '../deps.ts';
import { hear } from './hear.ts';
import { releaseClaim } from '../../store/claims.ts';
import { checkpointAt } from '../../store/checkpoints.ts';
import { beginContext } from '../../store/context-epoch.ts';
import { sessionById } from '../../store/sessions.ts';
import { endSession, noteGoneOn } from './end-session.ts';
import { addWords } from './said.ts';
import { hasGoneOn } from './see.ts';

export async function hookSessionEnd(
  deps: Deps,
  caller: Caller,
  input: ParsedInput<'hookSessionEnd'>,
): Promise<OperationOutput<'hookSessionEnd'>> {
  const kind = { name: 'hookSessionEnd', isEnd: true, needsTranscript: true } as const;
  const nothing = { memoriesSaved: 0, queued: false };
  const answer = await hear(deps, caller, kind, input, (heard): typeof nothing => {
    const { tx, session, before } = heard;
    addWords(heard, { assistant: input.lastAssistantMessage });
    if (hasGoneOn(heard)) {
      noteGoneOn(heard);
      return nothing;
    }
    releaseClaim(tx, session.id);
    const hasMore = sessionById(tx.db, session.id).last_seq > (before?.last_seq ?? 0);
    if (before?.ended_at && !hasMore) {
      return { ...nothing, ...({ skipped: true, duplicateSessionEnd: true } as const) };
    }
    checkpointAt(tx, session, 'session_end');
    if (input.reason === 'clear') beginContext(tx, session.id);
    endSession(heard, input.reason);
    return nothing;
  });
  return answer ?? nothing;
}
