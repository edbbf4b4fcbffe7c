/** What hooks say of a session in fields of their own: the last words of either side, and what happened to it. */
import type { TurnRole } from '../../contract/words.ts';
import { isSaid } from '../../domain/said-keys.ts';
import { singleSpaced } from '../../domain/plain-text.ts';
import { countPrompt } from '../../store/checkpoints.ts';
import { lastTurns, type ReadTurn } from '../../store/reading-order.ts';
import { toldBetween } from '../../store/said.ts';
import { appendTurn, keepExtra } from '../../store/turns.ts';
import type { Heard } from './hook.ts';
import { clocksApartMs } from './see.ts';

/** The answer before it, and the prompt: what a transcript has told already is not told again. Whether the prompt is a new one. */
export function addWords(
  heard: Heard,
  words: { user?: string | undefined; assistant?: string | undefined },
): boolean {
  const user = spoken(words.user);
  const answer = spoken(words.assistant);
  const said = lastSaid(heard, answer !== null);
  const last = said.at(-1);
  // The transcript that came with it may have told it first.
  const isFresh = last !== undefined && last.seq > (heard.before?.last_seq ?? 0);
  // Under a key of its own a prompt may say once more what the one before has said.
  const isLast =
    user !== null &&
    last !== undefined &&
    isSame(last, 'user', user) &&
    (!heard.isNamed || last.source === 'snapshot');
  const before = isLast ? said.slice(0, -1) : said;
  const told = toldMeanwhile(heard);
  const toldUser = told.find((turn) => user !== null && isSame(turn, 'user', user));
  // A transcript that has the prompt has what was said before it.
  const answered =
    answer === null
      ? undefined
      : (toldUser ??
        [...sinceUser(before), ...sinceTold(before), ...told].find((turn) =>
          isSame(turn, 'assistant', answer),
        ));
  // An answer of which nobody has heard stands between the two: the same words are said again.
  const isStillLast = isLast && (answer === null || answered !== undefined || isFresh);
  const there = toldUser ?? (isStillLast ? last : undefined);
  const isThere = there !== undefined;
  if (answer !== null && answered === undefined) append(heard, 'assistant', answer);
  if (user !== null && !isThere) append(heard, 'user', user);
  const found = there ?? answered;
  if (found !== undefined) heard.found ??= found.seq;
  return user !== null && (heard.isNamed || !isThere || isFresh);
}

/** A hook that was kept speaks of then. Its program's transcript was read since, and tells that and all that came after. */
function toldMeanwhile({ tx, session, at, isLate }: Heard): ReadTurn[] {
  if (!isLate) return [];
  const moment = (ms: number) => new Date(Date.parse(at) + ms).toISOString();
  return toldBetween(tx.db, session, [moment(-clocksApartMs), moment(clocksApartMs)]);
}

/** Where no answer is looked for, the last of them is enough, and mostly near. */
function lastSaid({ tx, session, end }: Heard, isForAnswer: boolean): ReadTurn[] {
  if (end !== null && !isForAnswer) return [end];
  const among = (turns: number) => lastTurns(tx.db, session.id, turns).filter(isSaid);
  const near = isForAnswer ? [] : among(NEAR_TURNS);
  return near.length > 0 ? near : among(TAIL_TURNS);
}

/** Prompts that the transcript has brought: no hook of theirs has come, or comes. */
export function countTold({ tx, session, before }: Heard): void {
  const { prompts } = tx.db.get<{ prompts: number }>(
    `SELECT count(*) AS prompts FROM turns
     WHERE session_id = :id AND seq > :known AND role = 'user' AND source = 'snapshot'`,
    { id: session.id, known: before?.last_seq ?? 0 },
  )!;
  if (prompts > 0) countPrompt(tx, session, prompts);
}

const sinceUser = (turns: ReadTurn[]) =>
  turns.slice(turns.findLastIndex((turn) => turn.role === 'user') + 1);

/** A transcript that lags behind may have told a prompt after its answer was told. */
function sinceTold(turns: ReadTurn[]): ReadTurn[] {
  const told = turns.filter((turn) => turn.source === 'hook').toSorted((a, b) => a.seq - b.seq);
  return sinceUser(told).filter((turn) => turn.raw === null);
}

/** Something that happened to the session; twice in a row it is a repeat, also with the words that it came with behind it. */
export function addMark(heard: Heard, text: string, prompt?: string): void {
  const turns = heard.isNamed ? [] : lastTurns(heard.tx.db, heard.session.id, 2);
  const end = turns.at(-1);
  const isBehind = end?.role === 'user' && end.text === prompt;
  const last = turns.at(isBehind ? -2 : -1);
  const isRepeat = last?.role === 'mark' && last.text === text && last.source === 'hook';
  if (isRepeat) heard.found ??= last.seq;
  else append(heard, 'mark', text);
}

/** Enough to have the last prompt in it, however many answers and tools came since. */
const TAIL_TURNS = 40;
/** Enough to have something in it that was said, mostly. */
const NEAR_TURNS = 2;

export function append(heard: Heard, role: TurnRole, text: string): void {
  const extra = heard.takeExtra();
  appendTurn(heard.tx, {
    sessionId: heard.session.id,
    role,
    text,
    at: heard.at,
    source: 'hook',
    ...(extra !== null && { extra: JSON.stringify(extra) }),
  });
}

/**
 * What no turn has taken that the hook has added goes with the first that it found, else with the last that its transcript has
 * brought; without one it is not kept. A turn that has such already keeps its own: a repeat changes nothing.
 */
export function leaveRest({ tx, session, before, found, takeExtra }: Heard): void {
  const isBrought = session.last_seq > (before?.last_seq ?? 0);
  const seq = found ?? (isBrought ? session.last_seq : null);
  if (seq === null) return;
  const extra = takeExtra();
  if (extra !== null) keepExtra(tx, session.id, seq, JSON.stringify(extra));
}

function spoken(text: string | undefined): string | null {
  return text === undefined || text.trim() === '' ? null : text;
}

/** What a program puts around words of ours, in its transcript. Shorter ones are too often part of others. */
const WRAPPED_CHARS_MIN = 12;

function isSame(turn: ReadTurn, role: TurnRole, text: string): boolean {
  if (turn.role !== role) return false;
  if (turn.text === text) return true;
  const words = singleSpaced(text);
  const known = singleSpaced(turn.text);
  const mayBeWrapped = turn.source === 'snapshot' && words.length >= WRAPPED_CHARS_MIN;
  return known === words || (mayBeWrapped && known.includes(words));
}
