import type { OperationOutput, ParsedInput } from '../../contract/operations.ts';
import type { Caller } from '../caller.ts';
import type { Deps } from '../deps.ts';
import { hear } from './hear.ts';
import { addWords } from './said.ts';
import { waitingFor } from './waiting-callbacks.ts';

export async function hookUserPromptSubmit(
  deps: Deps,
  caller: Caller,
  input: ParsedInput<'hookUserPromptSubmit'>,
): Promise<OperationOutput<'hookUserPromptSubmit'>> {
  const answer = await hear(deps, caller, { name: 'hookUserPromptSubmit' }, input, (heard) => {
    addWords(heard, {
      user: input.userMessage?.trim() ? input.userMessage : input.userPrompt,
      assistant: input.lastAssistantMessage,
    });
    const sessionKnown = heard.before !== null;
    return { ...waitingFor(heard), memoryCount: 0, sessionKnown };
  });
  const nobody = { inject: '', reason: 'no_session', memoryCount: 0, sessionKnown: false } as const;
  return answer ?? nobody;
}
