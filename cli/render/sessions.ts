/** Sessions as a table: what each is about, what it is now, and what is open for it. */
import type { SessionState } from '../../contract/records.ts';
import type { SessionStateWord } from '../../contract/words.ts';
import { oneLine } from '../../domain/plain-text.ts';
import { formatAge } from './duration.ts';
import type { Paint, Style } from './style.ts';
import { renderTable } from './table.ts';

/** What else there is to say waits for a terminal with room for these: most keys are UUIDs. */
const keyWants = 36;
const titleWants = 30;

export function renderSessions(
  sessions: readonly SessionState[],
  { style, width, now }: { style: Style; width: number; now: number },
): string {
  return renderTable(
    [
      { title: 'SESSION', canShrink: true, isCutInMiddle: true, wants: keyWants },
      { title: 'AGENT', canShrink: true },
      { title: 'STATE' },
      { title: 'TITLE', canShrink: true, wants: titleWants },
      { title: 'OPEN', isRight: true },
      { title: 'WAITING', isRight: true },
      { title: 'ACTIVE' },
      { title: 'HARNESS', goes: 3 },
      { title: 'PARENT', goes: 2 },
      { title: 'HOOKS', goes: 1 },
    ],
    sessions.map((session) => [
      { text: oneLine(session.key) },
      { text: oneLine(session.agentId), paint: style.dim },
      { text: session.state, paint: statePaint(session.state, style) },
      { text: oneLine(session.title ?? session.firstWords ?? '') },
      { text: numberOf(session.openChildren) },
      { text: numberOf(session.waitingCallbacks) },
      { text: formatAge(now - Date.parse(session.lastActivityAt)), paint: style.dim },
      { text: oneLine(session.harness ?? '') },
      { text: oneLine(session.parentSessionId ?? ''), paint: style.dim },
      { text: session.runtimePath === 'unknown' ? '' : session.runtimePath, paint: style.dim },
    ]),
    { width, head: style.dim },
  );
}

export function statePaint(state: SessionStateWord, style: Style): Paint {
  if (state === 'bypassed') return style.yellow;
  return state === 'active' ? style.green : style.dim;
}

/** None is not worth a figure. */
const numberOf = (count: number) => (count === 0 ? '' : `${count}`);
