/** What a model should do after it has seen a record: the sentence that keeps answers from being lost. */
import type { Asker } from '../client/index.ts';
import type { SubAgentRecord } from '../contract/records.ts';
import { isFinal } from '../contract/words.ts';
import type { CutAnswer } from './cut-answer.ts';

export function nextStepFor(
  record: SubAgentRecord,
  asker: Asker['kind'],
  answer: CutAnswer | null,
): string {
  if (isFinal(record.status)) return endedStep(record, answer);
  const wait = `wait_subagents {"ids": ["${record.id}"]}`;
  switch (record.executionMode) {
    case 'SYNC':
      return `It is still at work and goes on; this call only stopped waiting. Call ${wait} until it has ended. Do not run it again.`;
    case 'ASYNC_POLL':
      return `It works in the background. Go on with other work, and call ${wait} when you need the answer.`;
    case 'ASYNC_CALLBACK':
      return callbackStep(asker, wait);
  }
}

/** Only an agent that we run is woken by us; any other has to look. */
function callbackStep(asker: Asker['kind'], wait: string): string {
  return asker === 'token'
    ? 'It works in the background. Do not wait for it: when you have nothing else to do, end your turn. You are run again with its answer.'
    : `It works in the background and its answer goes to your mailbox. Go on with other work, and read it later with get_callbacks, or call ${wait}.`;
}

function endedStep(record: SubAgentRecord, answer: CutAnswer | null): string {
  if (answer !== null && answer.nextOffset !== null) {
    return `The answer is ${answer.charsTotal} characters long and not all of it is shown. If you need more, call get_subagent {"id": "${record.id}", "offset": ${answer.nextOffset}}.`;
  }
  if (record.status === 'completed')
    return 'It has ended and this is its answer. Nothing is left to wait for.';
  const said = answer === null ? '' : ' What it had said until then is below.';
  return `It has ended without success and is not tried again by itself.${said} Read the error before you run another.`;
}
