/** One invocation in full, for `get`. */
import type { SubAgentRecord } from '../../contract/records.ts';
import { tookMs } from '../../domain/took.ts';
import { formatDuration } from './duration.ts';
import { oneLine, plainText } from '../../domain/plain-text.ts';
import { statusGlyph, statusPaint } from './status.ts';
import type { Style } from './style.ts';

export function renderRecord(record: SubAgentRecord, style: Style): string {
  const fields = fieldsOf(record).filter(([, value]) => value !== null && value !== '');
  const width = Math.max(...fields.map(([name]) => name.length));
  const status = statusPaint(record.status, style)(record.status);
  const title = record.title === null ? '' : `  ${style.bold(oneLine(record.title))}`;
  return [
    `${statusGlyph(record.status, style)} ${record.id}  ${status}${title}`,
    ...fields.map(([name, value]) => `  ${style.dim(name.padEnd(width))}  ${oneLine(value ?? '')}`),
    ...section('Prompt', record.context.prompt, style),
    ...section(record.status === 'completed' ? 'Answer' : 'Said so far', answerOf(record), style),
    '',
  ].join('\n');
}

function fieldsOf(record: SubAgentRecord): [string, string | null][] {
  const { context } = record;
  const took = tookMs(record);
  return [
    ['error', record.error === null ? null : `${record.error} (${record.errorCode})`],
    ['to do', hintOf(record)],
    waiting(record),
    ['runner', record.runnerId],
    ['mode', `${record.executionMode}${record.detached ? ', detached' : ''}`],
    ['asked by', record.parentSessionId],
    ['root', record.rootSessionId === record.sessionKey ? null : record.rootSessionId],
    ['session', `${record.sessionKey} (depth ${record.depth})`],
    ['workspace', context.workspacePath],
    ['spec', context.specId],
    ['files', (context.files ?? []).join(', ')],
    ['created', record.createdAt],
    ['started', record.startedAt],
    ['ended', record.completedAt],
    ['took', took === null ? null : formatDuration(took)],
    ['tokens', tokensOf(record)],
    ['workflow', record.workflowId],
    ['in Temporal', record.temporalUrl],
  ];
}

/** What is to be done, with the commands as they can be typed. */
export function hintOf({ id, errorHint }: SubAgentRecord): string | null {
  return errorHint?.replaceAll('<id>', id) ?? null;
}

/** What it waits for, where the reason is that; all else tells what happens with it now. */
function waiting({ pendingReason: reason }: SubAgentRecord): [string, string | null] {
  const slot = /^no free slot(.*): (\d+ before it)$/s.exec(reason ?? '');
  if (slot) return ['waits for', `a free slot${slot[1]}, ${slot[2]}`];
  const rest = /^waits for (.*)$/s.exec(reason ?? '');
  return rest ? ['waits for', rest[1]!] : ['now', reason];
}

function tokensOf({ result }: SubAgentRecord): string | null {
  if (!result?.tokenUsage) return null;
  return `${result.tokenUsage.input} in, ${result.tokenUsage.output} out`;
}

function answerOf({ result }: SubAgentRecord): string {
  return result?.content ?? '';
}

function section(title: string, text: string, style: Style): string[] {
  return text === '' ? [] : ['', style.dim(title), plainText(text).trimEnd()];
}
