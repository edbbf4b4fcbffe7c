/** Turns of a transcript, to read and to follow. */
import type { Turn } from '../../contract/records.ts';
import { readCallback, type ReadCallback } from '../../domain/envelope.ts';
import { oneLine, plainText } from '../../domain/plain-text.ts';
import type { Style } from './style.ts';

/** With who and when above each turn. */
export function renderTurn(turn: Turn, style: Style): string {
  const head = [`#${turn.seq}`, turn.role, turn.at, ...(turn.late ? ['late'] : [])].join('  ');
  return `${style.dim(head)}\n${endLine(plainText(turn.text))}\n`;
}

/** What the program wrote, and what happened to it. Output comes in pieces, which may end within a line. */
export function renderOutput(turn: Turn, style: Style): string {
  const text = plainText(turn.text);
  // What was asked is known to who asked, and an answer is on stdout before it is an answer.
  if (turn.role === 'user' || turn.role === 'assistant') return '';
  if (turn.role === 'stdout') return text;
  if (turn.role === 'stderr') return style.dim(text);
  if (turn.role === 'mark') return style.dim(`· ${endLine(text)}`);
  const callback = turn.role === 'callback' ? readCallback(turn.text) : null;
  return callback === null ? endLine(text) : renderCallback(callback, style);
}

/** Whose answer it was and how that ended, and its words set in. Agents read it as it was sent: `transcript` shows that. */
function renderCallback({ attributes, text }: ReadCallback, style: Style): string {
  const get = (name: string) => oneLine(attributes.get(name) ?? '');
  const code = get('error-code') === '' ? '' : ` (${get('error-code')})`;
  const again = get('repeat') === '' ? '' : ', told again';
  const from = get('title') || get('invocation');
  const lines = plainText(text).trimEnd().split('\n');
  const words = lines.map((line) => (line === '' ? '\n' : `  ${line}\n`)).join('');
  return `${style.dim(`callback from ${from}: ${get('status')}${code}${again}`)}\n${words}`;
}

export function endLine(text: string): string {
  return text.endsWith('\n') || text === '' ? text : `${text}\n`;
}
