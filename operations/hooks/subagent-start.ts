import type { OperationOutput, ParsedInput } from '../../contract/operations.ts';
import type { Caller } from '../caller.ts';
import type { Deps } from '../deps.ts';
import { hearStart, inheritedText } from './inherited.ts';
import { addMark, addWords } from './said.ts';

export async function hookSubagentStart(
  deps: Deps,
  caller: Caller,
  input: ParsedInput<'hookSubagentStart'>,
): Promise<OperationOutput<'hookSubagentStart'>> {
  const kind = { name: 'hookSubagentStart', isStart: true, isAboutSubagent: true } as const;
  const hook = { ...input, title: input.title ?? input.agentType };
  const answer = await hearStart(deps, caller, kind, hook, (heard) => {
    addMark(heard, `started${input.agentType ? `: ${input.agentType}` : ''}`, input.prompt);
    addWords(heard, { user: input.prompt });
    return {
      inject: inheritedText(heard, caller, { isAnew: true }),
      memories: [],
      sessionKey: heard.session.session_key,
    };
  });
  return answer ?? { inject: '', memories: [], sessionKey: null };
}
