import type { OperationOutput, ParsedInput } from '../../contract/operations.ts';
import type { Caller } from '../caller.ts';
import type { Deps } from '../deps.ts';
import { hearStart, inheritedText } from './inherited.ts';
import { addMark } from './said.ts';
import { beginContext } from '../../store/context-epoch.ts';

export async function hookSessionStart(
  deps: Deps,
  caller: Caller,
  input: ParsedInput<'hookSessionStart'>,
): Promise<OperationOutput<'hookSessionStart'>> {
  const answer = await hearStart(
    deps,
    caller,
    { name: 'hookSessionStart', isStart: true },
    input,
    (heard) => {
      const isCleared = input.source === 'clear';
      if (isCleared) beginContext(heard.tx, heard.session.id);
      addMark(heard, isCleared ? 'cleared' : `started${input.source ? `: ${input.source}` : ''}`);
      // After a compaction of which no other hook has told, the model has lost what it was told, too.
      const isAnew = isCleared || input.source === 'compact';
      return { inject: inheritedText(heard, caller, { isAnew }), memories: [] };
    },
  );
  return answer ?? { inject: '', memories: [] };
}
