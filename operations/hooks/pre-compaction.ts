import type { OperationOutput, ParsedInput } from '../../contract/operations.ts';
import type { Caller } from '../caller.ts';
import type { Deps } from '../deps.ts';
import { hear } from './hear.ts';
import { checkpointAt } from '../../store/checkpoints.ts';
import { addMark, addWords } from './said.ts';

/** The same for everybody; what is known of the session is asked of its own program. */
export async function hookPreCompaction(
  deps: Deps,
  caller: Caller,
  input: ParsedInput<'hookPreCompaction'>,
): Promise<OperationOutput<'hookPreCompaction'>> {
  const answer = await hear(deps, caller, { name: 'hookPreCompaction' }, input, (heard) => {
    addWords(heard, { assistant: input.lastAssistantMessage });
    checkpointAt(heard.tx, heard.session, 'pre_compaction');
    addMark(heard, 'about to be compacted');
    return instructions;
  });
  return answer ?? instructions;
}

/** What a summary has to keep, so that whoever goes on from it need not ask again. */
const instructions = {
  summaryPrompt: [
    'Sum up this session for whoever goes on with it without having seen it.',
    'Write what was asked for and why; what was decided, and what was ruled out; what is done, with names',
    'of files, functions, commands and ids exactly as they are; what failed and how; what is left to do, in order.',
  ].join(' '),
  guidelines: [
    '- Keep constraints and preferences that the user has stated, word for word.',
    '- Keep open questions, and promises that were made.',
    '- Keep sub-agents that are still at work: their ids, and what they were asked.',
    '- Leave out greetings, output of tools that led nowhere, and what the files say themselves.',
  ].join('\n'),
};
