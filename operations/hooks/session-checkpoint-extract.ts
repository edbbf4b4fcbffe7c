import type { OperationOutput, ParsedInput } from '../../contract/operations.ts';
import type { Caller } from '../caller.ts';
import type { Deps } from '../deps.ts';
import { hear } from './hear.ts';
import { countTold } from './said.ts';

/** The transcript is kept; nothing is extracted from it until there is a memory. */
export async function hookSessionCheckpointExtract(
  deps: Deps,
  caller: Caller,
  input: ParsedInput<'hookSessionCheckpointExtract'>,
): Promise<OperationOutput<'hookSessionCheckpointExtract'>> {
  const kind = { name: 'hookSessionCheckpointExtract', needsTranscript: true } as const;
  const answer = await hear(deps, caller, kind, input, (heard) => {
    countTold(heard);
    return { skipped: true as const };
  });
  return answer ?? { skipped: true };
}
