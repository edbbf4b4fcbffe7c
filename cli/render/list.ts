/** Invocations and runners as tables. */
import type { SubAgentRecord } from '../../contract/records.ts';
import type { RunnerInfo } from '../../contract/system-records.ts';
import { tookMs } from '../../domain/took.ts';
import { formatAge, formatDuration } from './duration.ts';
import { oneLine } from '../../domain/plain-text.ts';
import { clip } from '../../domain/text.ts';
import { statusPaint } from './status.ts';
import type { Style } from './style.ts';
import { renderTable } from './table.ts';

/** Of a prompt that stands for a title. */
const titleCharsMax = 200;
const promptChars = 4_000;

interface Look {
  style: Style;
  width: number;
}

export function renderList(
  records: readonly SubAgentRecord[],
  { style, width, now }: Look & { now: number },
): string {
  return renderTable(
    [
      { title: 'ID' },
      { title: 'STATUS' },
      { title: 'MODE', goes: 1 },
      { title: 'RUNNER', goes: 2 },
      { title: 'TITLE', canShrink: true },
      { title: 'TOOK', isRight: true },
      { title: 'CREATED' },
    ],
    records.map((record) => [
      { text: record.id },
      { text: record.status, paint: statusPaint(record.status, style) },
      { text: record.executionMode, paint: style.dim },
      { text: record.runnerId },
      { text: titleOf(record) },
      { text: formatTook(record) },
      { text: formatAge(now - Date.parse(record.createdAt)), paint: style.dim },
    ]),
    { width, head: style.dim },
  );
}

/** Why one is not ready comes below: in a column it would be cut, or make every line long. */
export function renderRunners(runners: readonly RunnerInfo[], { style, width }: Look): string {
  const table = renderTable(
    [
      { title: 'RUNNER' },
      { title: 'STATE' },
      { title: 'TURNS' },
      { title: 'IF LOST' },
      { title: 'COMMAND', canShrink: true },
    ],
    runners.map((runner) => [
      { text: runner.id },
      runner.available
        ? { text: 'ready', paint: style.green }
        : { text: 'not ready', paint: style.red },
      { text: runner.turns ? 'many' : 'one' },
      { text: runner.onLost },
      { text: oneLine(runner.command), paint: style.dim },
    ]),
    { width, head: style.dim },
  );
  const reasons = runners.flatMap(({ id, available, reason }) =>
    available || reason === null ? [] : [`${style.red(id)}: ${oneLine(reason)}\n`],
  );
  return reasons.length === 0 ? table : `${table}\n${reasons.join('')}`;
}

function formatTook(record: SubAgentRecord): string {
  const ms = tookMs(record);
  return ms === null ? '' : formatDuration(ms);
}

/** What it was called, else how its task begins. */
function titleOf({ title, context }: SubAgentRecord): string {
  return oneLine(title ?? clip(oneLine(context.prompt.slice(0, promptChars)), titleCharsMax));
}
