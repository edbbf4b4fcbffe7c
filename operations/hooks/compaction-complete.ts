import type { OperationOutput, ParsedInput } from '../../contract/operations.ts';
import { compactedMark } from '../../contract/words.ts';
import type { Caller } from '../caller.ts';
import type { Deps } from '../deps.ts';
import { hear } from './hear.ts';
import { checkpointAt } from '../../store/checkpoints.ts';
import { beginContext } from '../../store/context-epoch.ts';
import { lastTurns } from '../../store/reading-order.ts';
import { addMark } from './said.ts';

export async function hookCompactionComplete(
  deps: Deps,
  caller: Caller,
  input: ParsedInput<'hookCompactionComplete'>,
): Promise<OperationOutput<'hookCompactionComplete'>> {
  const answer = await hear(deps, caller, { name: 'hookCompactionComplete' }, input, (heard) => {
    const { tx, session } = heard;
    const text = compactedMark + input.summary;
    const [last] = heard.isNamed ? [] : lastTurns(tx.db, session.id, 1);
    const isRepeat = last?.role === 'mark' && last.text === text;
    addMark(heard, text);
    if (!isRepeat) checkpointAt(tx, session, 'compaction', input.summary);
    const epoch = isRepeat ? session.context_epoch : beginContext(tx, session.id);
    return { success: true as const, memoryId: null, contextEpoch: epoch };
  });
  return answer ?? { success: true, memoryId: null, contextEpoch: 0 };
}
