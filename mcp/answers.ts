/** Records to tool answers: the answer cut to its share, the next step named. */
import type { SubAgentRecord } from '../contract/records.ts';
import { bounds } from './bounds.ts';
import { briefRecord, type BriefRecord } from './brief-record.ts';
import { answerFrom, cutAnswer } from './cut-answer.ts';
import { nextStepFor } from './next-step.ts';
import type { ToolCall } from './tool.ts';

export function briefWithAnswer(
  call: ToolCall,
  record: SubAgentRecord,
  options: { charsMax?: number; offset?: number } = {},
): BriefRecord {
  const content = record.result?.content ?? '';
  const cut =
    options.offset === undefined
      ? cutAnswer(content, options.charsMax)
      : answerFrom(content, options.offset);
  const answer = record.result === null ? null : cut;
  const nextStep = nextStepFor(record, call.asker.kind, answer);
  return briefRecord(withShortError(record, options.charsMax), answer, nextStep);
}

/** Several answers share one budget, so that two hundred do not fill a context. */
export function shareOf(count: number): number {
  const share = Math.floor(bounds.answersCharsMax / Math.max(1, count));
  return Math.min(bounds.answerCharsMax, Math.max(bounds.answerCharsMin, share));
}

/** For lists: that there is an answer is worth a word, the answer itself is asked for by id. */
export function briefWithoutAnswer(call: ToolCall, record: SubAgentRecord): BriefRecord {
  const nextStep =
    record.result === null
      ? nextStepFor(record, call.asker.kind, null)
      : `Call get_subagent {"id": "${record.id}"} for its answer.`;
  return briefRecord(withShortError(record, bounds.answerCharsMin), null, nextStep);
}

/** An error may be 4,000 characters long: too much for each of a hundred. */
function withShortError(record: SubAgentRecord, charsMax?: number): SubAgentRecord {
  return {
    ...record,
    error: record.error === null ? null : cutAnswer(record.error, charsMax).text,
  };
}
