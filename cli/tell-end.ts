/** How an invocation ended: the answer on standard output, everything else on standard error. */
import type { SubAgentRecord } from '../contract/records.ts';
import { isFinal } from '../contract/words.ts';
import { tookMs } from '../domain/took.ts';
import type { CliDeps } from './deps.ts';
import { exitCodeOfStatus, type ExitCode } from './exit-codes.ts';
import { formatDuration } from './render/duration.ts';
import { oneLine, plainText } from '../domain/plain-text.ts';
import { hintOf } from './render/record.ts';
import { statusGlyph } from './render/status.ts';
import { createStyle } from './render/style.ts';
import { endLine } from './render/transcript.ts';
import type { Shown } from './shown.ts';
import { writeJson } from './write-json.ts';

export function tellEnd(
  { out, err }: Pick<CliDeps, 'out' | 'err'>,
  record: SubAgentRecord,
  { isJson }: { isJson: boolean },
  shown: Shown | null = null,
): ExitCode {
  const exitCode = exitCodeOfStatus(record.status);
  if (isJson) writeJson(out, record);
  else if (!isFinal(record.status)) err.write(`${stillRunning(record)}\n`);
  else {
    const content = record.result?.content ?? '';
    // A pipe gets the answer as it is; a terminal must not be steered by it.
    const isSeen = out.isTerminal && (shown?.endsWith(content) ?? false);
    if (record.status === 'completed' && !isSeen) {
      out.write(endLine(out.isTerminal ? plainText(content) : content));
    }
    if (record.status !== 'completed' || err.isTerminal) err.write(ending(record, err, shown));
  }
  return exitCode;
}

function stillRunning({ id, status, pendingReason }: SubAgentRecord): string {
  const why = pendingReason === null ? '' : ` (${oneLine(pendingReason)})`;
  return `${id} is still ${status}${why}. It goes on: offshoot wait ${id}`;
}

function ending(record: SubAgentRecord, { hasColor }: CliDeps['err'], shown: Shown | null): string {
  const style = createStyle(hasColor);
  const { id, status, result } = record;
  const hint = hintOf(record);
  const error = unseenError(record, shown);
  const ms = tookMs(record);
  const took = ms === null ? '' : ` in ${formatDuration(ms)}`;
  const lines = [`${statusGlyph(status, style)} ${id} ${status.replace('_', ' ')}${took}`];
  if (error !== null) lines.push(`  ${plainText(error).trimEnd().replaceAll('\n', '\n  ')}`);
  if (hint !== null) lines.push(`  ${plainText(hint)}`);
  if (status !== 'completed' && result !== null && result.content !== '') {
    lines.push(`  What it had said so far: offshoot get ${id}`);
  }
  return `${lines.map((line, at) => (at === 0 ? line : style.dim(line))).join('\n')}\n`;
}

/** Of a program that failed the error repeats what it said last on stderr. */
function unseenError({ error, errorCode }: SubAgentRecord, shown: Shown | null): string | null {
  if (error === null || shown === null) return error;
  if (errorCode !== 'exit_nonzero' && errorCode !== 'killed_by_signal') return error;
  const at = error.indexOf(': ');
  return at !== -1 && shown.endsWith(error.slice(at + 2)) ? error.slice(0, at) : error;
}
