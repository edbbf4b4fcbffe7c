import type { OperationOutput, ParsedInput } from '../../contract/operations.ts';
import { compactedMark } from '../../contract/words.ts';
import { toldCompaction } from '../../domain/compaction.ts';
import type { Caller } from '../caller.ts';
import type { Deps } from '../deps.ts';
import { hear } from './hear.ts';
import { checkpointAt } from '../../store/checkpoints.ts';
import { beginContext } from '../../store/context-epoch.ts';
import { lastTurns } from '../../store/reading-order.ts';
import { lastSaidBy } from '../../store/said.ts';
import { append } from './said.ts';

export async function hookCompactionComplete(
  deps: Deps,
  caller: Caller,
  input: ParsedInput<'hookCompactionComplete'>,
): Promise<OperationOutput<'hookCompactionComplete'>> {
  const answer = await hear(deps, caller, { name: 'hookCompactionComplete' }, input, (heard) => {
    const { tx, session } = heard;
    const among = lastTurns(tx.db, session.id, TAIL_TURNS);
    const told = toldCompaction(among, input.summary, !heard.isNamed);
    if (told === undefined) append(heard, 'mark', compactedMark + input.summary);
    else heard.found ??= told.seq;
    if (told?.source !== 'hook') {
      const upTo = told?.seq ?? (heard.isLate ? lastSaidBy(tx.db, session, heard.at) : Infinity);
      checkpointAt(tx, session, 'compaction', input.summary, upTo);
    }
    const epoch = told === undefined ? beginContext(tx, session.id) : session.context_epoch;
    return { success: true as const, memoryId: null, contextEpoch: epoch };
  });
  return answer ?? { success: true, memoryId: null, contextEpoch: 0 };
}

/** Enough to have a compaction in it that the transcript has told, with what the program notes behind it. */
const TAIL_TURNS = 200;
