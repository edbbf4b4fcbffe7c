/** The callback as its parent reads it. A child's words cannot end the envelope or open another. */
import { limits } from '../contract/limits.ts';
import type { Status } from '../contract/words.ts';
import { escapeMarkup, unescapeMarkup } from './plain-text.ts';
import { redact, secretCharsMax, withoutCutWord } from './redact.ts';
import { bothEnds, headAndTail, type Ends, type HeadAndTail } from './text.ts';

export interface Ended {
  callbackId: string;
  /** It was put before its parent before, and nothing has shown that it was read. */
  isRepeat?: boolean;
  invocationId: string;
  sessionKey: string;
  runnerId: string;
  title: string | null;
  status: Status;
  durationMs: number | null;
  tokenUsage: { input: number; output: number } | null;
  /** The whole answer, or the ends of one that no envelope would hold: each longer than is shown, by a secret. */
  content: string | Ends | null;
  error: string | null;
  errorCode: string | null;
}

/** One callback. Attributes first, then the answer or the error, without secrets, escaped and bounded. */
export function renderCallback(ended: Ended): string {
  const attributes: [string, string | number | null][] = [
    ['id', ended.callbackId],
    ['repeat', ended.isRepeat ? 'true' : null],
    ['invocation', ended.invocationId],
    ['session', ended.sessionKey],
    ['runner', ended.runnerId],
    ['title', ended.title === null ? null : redact(ended.title)],
    ['status', ended.status],
    ['error-code', ended.errorCode],
    ['duration-ms', ended.durationMs],
    ['tokens-input', ended.tokenUsage?.input ?? null],
    ['tokens-output', ended.tokenUsage?.output ?? null],
  ];
  const shown = attributes
    .filter(([, value]) => value !== null)
    .map(([name, value]) => ` ${name}="${escape(String(value))}"`)
    .join('');
  return `<agent-callback${shown}>\n${body(ended)}\n</agent-callback>`;
}

export interface ReadCallback {
  attributes: ReadonlyMap<string, string>;
  text: string;
}

/** An envelope as `renderCallback` has made it, without its tags; null for any other text. */
export function readCallback(envelope: string): ReadCallback | null {
  const [, head, text] =
    /^<agent-callback( [^>]*)>\n([^<>]*)\n<\/agent-callback>$/.exec(envelope) ?? [];
  if (head === undefined || text === undefined) return null;
  const attributes = [...head.matchAll(/ ([a-z-]{1,99})="([^"]*)"/g)].map(
    ([, name, value]) => [name!, unescapeMarkup(value!)] as const,
  );
  return { attributes: new Map(attributes), text: unescapeMarkup(text) };
}

/** What a parent's next turn says when callbacks have come: all of them, in completion order. */
export function renderCallbackTurn(envelopes: string[]): string {
  const many = envelopes.length > 1;
  const lead = many
    ? `${envelopes.length} sub-agents you started have ended, in this order.`
    : 'A sub-agent you started has ended.';
  const close = many
    ? 'Take the results into account, deal with what failed, and carry on.'
    : 'Take the result into account, or deal with the failure, and carry on.';
  return `${lead}\n\n${envelopes.join('\n\n')}\n\n${close}\n`;
}

function body({ error, content, invocationId }: Ended): string {
  const note = (omitted: number) =>
    `\n[… ${omitted} bytes left out; the whole answer: get_subagent ${invocationId} …]\n`;
  const lead = error === null ? [] : [`Error: ${error}`];
  if (content !== null && typeof content !== 'string') {
    const ends = withoutSeam({ ...content, head: [...lead, content.head].join('\n\n') });
    return fit((room) => bothEnds(ends, room, note), note);
  }
  const parts = content === null ? lead : [...lead, content];
  const whole = redact(parts.join('\n\n')) || '(no answer)';
  return fit((room) => headAndTail(whole, room, note), note);
}

/**
 * Ends without secrets, and without what may be half a one: the last word of the head, the first line of the tail.
 * Where these are longer than a secret the rest of them stays.
 */
function withoutSeam({ head, tail, gone }: Ends): Ends {
  const [first, last] = [redact(head), redact(tail)];
  const line = last.indexOf('\n');
  const start = Math.min(line === -1 ? last.length : line + 1, secretCharsMax);
  const ends = {
    head: withoutCutWord(first),
    tail: last.slice(start).replace(/^[\uDC00-\uDFFF]/, ''),
  };
  const dropped = Buffer.byteLength(first + last) - Buffer.byteLength(ends.head + ends.tail);
  return { ...ends, gone: gone + dropped };
}

/** The bound holds for what the parent reads: an answer full of brackets grows when it is escaped. */
function fit(cut: (room: number) => HeadAndTail, note: (omitted: number) => string): string {
  const max = limits.envelopeBodyBytesMax;
  for (let room: number = max; ;) {
    const { text, omitted } = cut(room);
    const escaped = escape(text);
    const bytes = Buffer.byteLength(escaped) - (omitted > 0 ? Buffer.byteLength(note(omitted)) : 0);
    if (bytes <= max) return escaped;
    room = Math.floor((room * max) / bytes);
  }
}

/**
 * Every angle bracket goes, so that nothing in a body can look like a tag, in any spelling; and NUL,
 * which a prompt that is given as an argument cannot hold.
 */
function escape(text: string): string {
  return escapeMarkup(text.replaceAll('\0', '\uFFFD'));
}
