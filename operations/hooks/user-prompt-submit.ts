import type { OperationOutput, ParsedInput } from '../../contract/operations.ts';
import type { Caller } from '../caller.ts';
import type { Deps } from '../deps.ts';
import { hear } from './hear.ts';
import { countPrompt } from '../../store/checkpoints.ts';
import { withoutInherited } from './inherited.ts';
import { offer } from './offer.ts';
import { addWords } from './said.ts';

export async function hookUserPromptSubmit(
  deps: Deps,
  caller: Caller,
  input: ParsedInput<'hookUserPromptSubmit'>,
): Promise<OperationOutput<'hookUserPromptSubmit'>> {
  const answer = await hear(deps, caller, { name: 'hookUserPromptSubmit' }, input, (heard) => {
    const words = input.userMessage ?? input.userPrompt;
    const isNew = addWords(heard, {
      user: withoutInherited(heard, words),
      assistant: input.lastAssistantMessage,
    });
    if (isNew) countPrompt(heard.tx, heard.session);
    const sessionKnown = heard.before !== null;
    return { ...offer(heard), memoryCount: 0, sessionKnown };
  });
  const nobody = { inject: '', reason: 'no_session', memoryCount: 0, sessionKnown: false } as const;
  return answer ?? nobody;
}
