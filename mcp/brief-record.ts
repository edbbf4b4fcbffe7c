/** A record as a model should see it: what it has to know, what it has to do next, and nothing twice. */
import { z } from 'zod';
import { subAgentRecordSchema, type SubAgentRecord } from '../contract/records.ts';
import { tokenUsageSchema } from '../contract/run.ts';
import { isFinal } from '../contract/words.ts';
import { oneLine } from '../domain/plain-text.ts';
import { tookMs } from '../domain/took.ts';
import { bounds } from './bounds.ts';
import { cutAnswerSchema, wholeChar, type CutAnswer } from './cut-answer.ts';
import { frame, inLine } from './frame.ts';

export const briefRecordSchema = subAgentRecordSchema
  .pick({
    id: true,
    runnerId: true,
    status: true,
    executionMode: true,
    title: true,
    sessionKey: true,
    parentSessionId: true,
    createdAt: true,
    completedAt: true,
    error: true,
    errorCode: true,
    errorHint: true,
    pendingReason: true,
  })
  .extend({
    isFinal: z.boolean().describe('Whether it has ended'),
    task: z.string().describe('The first words of its prompt'),
    durationMs: z.number().nullable(),
    tokenUsage: tokenUsageSchema.nullable(),
    answer: cutAnswerSchema.nullable(),
    nextStep: z.string().describe('What to do next'),
  });
export type BriefRecord = z.infer<typeof briefRecordSchema>;

export function briefRecord(
  record: SubAgentRecord,
  answer: CutAnswer | null,
  nextStep: string,
): BriefRecord {
  const { id, runnerId, status, executionMode, title, sessionKey, parentSessionId } = record;
  const { createdAt, completedAt, error, errorCode, errorHint, pendingReason } = record;
  return {
    ...{ id, runnerId, status, executionMode, title, sessionKey, parentSessionId },
    ...{ createdAt, completedAt, error, errorCode, errorHint, pendingReason },
    isFinal: isFinal(status),
    task: firstWords(record.context.prompt),
    durationMs: tookMs(record),
    tokenUsage: record.result?.tokenUsage ?? null,
    answer,
    nextStep,
  };
}

/** One line: who, how far, how long. */
export function headline(record: BriefRecord): string {
  const took = record.durationMs === null ? '' : ` after ${seconds(record.durationMs)}`;
  const code = record.errorCode === null ? '' : ` (${record.errorCode})`;
  const name = record.title === null ? '' : ` ${JSON.stringify(inLine(record.title))}`;
  return `${record.id}${name}: ${record.status}${code}${took}, runner ${record.runnerId}, ${record.executionMode}`;
}

/** All that is ours stands before error and answer, so that nothing in them can pass for ours. */
export function recordText(record: BriefRecord): string {
  const usage = record.tokenUsage;
  const lines = [
    headline(record),
    record.error && `Error: ${errorLine(record.error)}`,
    record.errorHint && `Hint: ${inLine(record.errorHint)}`,
    record.pendingReason && `Not ended yet because: ${inLine(record.pendingReason)}`,
    usage && `Tokens: ${usage.input} in, ${usage.output} out`,
    `Next: ${record.nextStep}`,
    record.error && wholeError(record.id, record.error),
    record.answer && frame('agent-answer', record.id, record.answer),
  ];
  return lines.filter(Boolean).join('\n');
}

/** Sixty failures have to fit into one result. */
const errorLineCharsMax = 120;
const errorLine = (error: string) =>
  inLine(error.trim().split('\n', 1)[0] ?? '', errorLineCharsMax);

/** A child writes its own error, too: what does not stand in the line above is framed. */
function wholeError(id: string, error: string): string | null {
  const isTold = errorLine(error) === error.trim();
  return isTold ? null : frame('agent-error', id, { text: error, charsTotal: error.length });
}

/** Only the beginning is looked at: a prompt may be megabytes long. */
function firstWords(prompt: string): string {
  const words = oneLine(prompt.trimStart().slice(0, bounds.taskChars * 2));
  return words.slice(0, wholeChar(words, bounds.taskChars));
}

function seconds(ms: number): string {
  return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`;
}
