/** Sessions as a table: who holds them, below whom they stand, and what is open for them. */
import type { SessionState } from '../../contract/records.ts';
import { oneLine } from '../../domain/plain-text.ts';
import { formatAge } from './duration.ts';
import type { Paint, Style } from './style.ts';
import { renderTable } from './table.ts';

export function renderSessions(
  sessions: readonly SessionState[],
  { style, width, now }: { style: Style; width: number; now: number },
): string {
  return renderTable(
    [
      { title: 'SESSION' },
      { title: 'AGENT' },
      { title: 'HARNESS' },
      { title: 'STATE' },
      { title: 'TITLE', canShrink: true },
      { title: 'PARENT', canShrink: true },
      { title: 'OPEN', isRight: true },
      { title: 'WAITING', isRight: true },
      { title: 'ACTIVE' },
    ],
    sessions.map((session) => [
      { text: oneLine(session.key) },
      { text: oneLine(session.agentId), paint: style.dim },
      { text: oneLine(session.harness ?? '') },
      { text: stateOf(session), paint: paintOf(session, style) },
      { text: oneLine(session.title ?? '') },
      { text: oneLine(session.parentSessionId ?? ''), paint: style.dim },
      { text: numberOf(session.openChildren) },
      { text: numberOf(session.waitingCallbacks) },
      { text: formatAge(now - Date.parse(session.lastActivityAt)), paint: style.dim },
    ]),
    { width, head: style.dim },
  );
}

/** One word: what hooks would find it to be. `managed` is one that we run, which no hook claims. */
function stateOf({ bypassed, endedAt, runtimePath, kind }: SessionState): string {
  if (bypassed) return 'bypassed';
  if (endedAt !== null) return 'ended';
  if (runtimePath !== 'unknown') return runtimePath;
  return kind === 'managed' ? 'managed' : 'free';
}

function paintOf({ bypassed, endedAt, runtimePath }: SessionState, style: Style): Paint {
  if (bypassed) return style.yellow;
  return endedAt === null && runtimePath !== 'unknown' ? style.green : style.dim;
}

/** None is not worth a figure. */
const numberOf = (count: number) => (count === 0 ? '' : `${count}`);
