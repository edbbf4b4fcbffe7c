/** The callback as its parent reads it. A child's words cannot end the envelope or open another. */
import { limits } from '../contract/limits.ts';
import type { Status } from '../contract/words.ts';
import { escapeMarkup } from './plain-text.ts';
import { redact } from './redact.ts';
import { headAndTail } from './text.ts';

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
  content: string | null;
  /** Bytes that were left out of its middle already, because no envelope would hold them. */
  contentCut?: number;
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

function body(ended: Ended): string {
  const parts: string[] = [];
  if (ended.error !== null) parts.push(`Error: ${ended.error}`);
  if (ended.content !== null) parts.push(ended.content);
  const whole = redact(parts.join('\n\n')) || '(no answer)';
  const note = (omitted: number) =>
    `\n[… ${omitted + (ended.contentCut ?? 0)} bytes left out; the whole answer: get_subagent ${ended.invocationId} …]\n`;
  return fit(whole, note);
}

/** The bound holds for what the parent reads: an answer full of brackets grows when it is escaped. */
function fit(whole: string, note: (omitted: number) => string): string {
  const max = limits.envelopeBodyBytesMax;
  for (let room: number = max; ;) {
    const { text, omitted } = headAndTail(whole, room, note);
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
