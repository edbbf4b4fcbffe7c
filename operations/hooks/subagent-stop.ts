import type { OperationOutput, ParsedInput } from '../../contract/operations.ts';
import type { Caller } from '../caller.ts';
import type { Deps } from '../deps.ts';
import { hear } from './hear.ts';
import { endSession, noteGoneOn } from './end-session.ts';
import { addWords } from './said.ts';
import { hasGoneOn } from './see.ts';

/** Programs stop sub-agents that never started (`/compact` does): such a one is known from then on, and ended. */
export async function hookSubagentStop(
  deps: Deps,
  caller: Caller,
  input: ParsedInput<'hookSubagentStop'>,
): Promise<OperationOutput<'hookSubagentStop'>> {
  const kind = {
    name: 'hookSubagentStop',
    isEnd: true,
    isAboutSubagent: true,
    needsTranscript: true,
  } as const;
  const answer = await hear(deps, caller, kind, input, (heard) => {
    const { session, before } = heard;
    addWords(heard, { assistant: input.lastAssistantMessage });
    if (hasGoneOn(heard)) noteGoneOn(heard);
    else endSession(heard);
    return { sessionKey: session.session_key, ended: before !== null };
  });
  return answer ?? { sessionKey: null, ended: false };
}
