/** Turns of a transcript, to read and to follow. */
import type { Turn } from '../../contract/records.ts';
import { plainText } from '../../domain/plain-text.ts';
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
  return endLine(text);
}

export function endLine(text: string): string {
  return text.endsWith('\n') || text === '' ? text : `${text}\n`;
}
