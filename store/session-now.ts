/** What a session is now in one word, and how it began: for lists and trees. */
import { limits } from '../contract/limits.ts';
import type { SessionStateWord } from '../contract/words.ts';
import { sessionStateOf } from '../domain/session-state.ts';
import { firstLine } from '../domain/text.ts';
import { bypassStates } from './bypass.ts';
import { holderOf } from './claims.ts';
import { openStatuses } from './invocations.ts';
import type { SessionRow } from './sessions.ts';
import { safeStart, startSql } from './words.ts';

const firstWordsChars = 120;
/** A prompt is among the first turns, or far from them: a session without one is not gone through for it. */
const firstTurnsMax = 100;

/** In SQL, of the session `s`. */
export const nowColumns = `
  (s.kind = 'managed' AND EXISTS (SELECT 1 FROM subagent_sessions i
     WHERE i.session_id = s.id AND i.status IN ${openStatuses})) AS has_open_work,
  (SELECT ${startSql('t.text')} FROM turns t
   WHERE t.session_id = s.id AND t.seq <= ${firstTurnsMax} AND t.role = 'user'
   ORDER BY t.seq LIMIT 1) AS first_prompt`;

export interface NowColumns {
  has_open_work: number;
  first_prompt: string | null;
}

export function sessionNow(
  row: SessionRow & NowColumns,
  now: string,
): { state: SessionStateWord; firstWords: string | null } {
  const state = sessionStateOf({
    isBypassed: row.bypassed === bypassStates.on,
    hasEnded: row.ended_at !== null,
    isHeld: holderOf(row, now) !== null,
    hasOpenWork: row.kind === 'managed' ? row.has_open_work === 1 : null,
    isHeardOfLately: row.updated_at >= lately(now),
  });
  const { first_prompt: prompt } = row;
  const words = prompt === null ? '' : firstLine(safeStart(prompt), firstWordsChars);
  return { state, firstWords: words || null };
}

/** Whoever has said nothing for as long as a claim lasts is taken to be gone. */
export const lately = (now: string) => new Date(Date.parse(now) - limits.claimMs).toISOString();
