/** Turns of a transcript, to read and to follow. */
import type { Turn } from '../../contract/records.ts';
import type { SessionTurn } from '../../contract/transcripts.ts';
import { readCallback, type ReadCallback } from '../../domain/envelope.ts';
import { oneLine, plainText } from '../../domain/plain-text.ts';
import { clip } from '../../domain/text.ts';
import type { Style } from './style.ts';

type ToolUse = NonNullable<SessionTurn['tools']>[number];

/** Of what a tool was given or has answered; all of it is in `--json`. */
const toolCharsMax = 200;

/** With its number, who and when above each turn. */
export function renderTurn(turn: Turn | SessionTurn, style: Style): string {
  const head = [`#${turn.seq}`, turn.role, turn.at, ...remarksOn(turn)].join('  ');
  const words = turn.text === '' ? '' : endLine(plainText(turn.text));
  return `${style.dim(head)}\n${words}${toolsOf(turn).map(renderTool).join('')}\n`;
}

export function saysSomething(turn: Turn | SessionTurn): boolean {
  return turn.text.trim() !== '' || toolsOf(turn).length > 0;
}

function remarksOn(turn: Turn | SessionTurn): string[] {
  const isLeft = 'place' in turn && turn.place === null;
  return [...(turn.late ? ['late'] : []), ...(isLeft ? ['left'] : [])];
}

/** A tool's turn has the call or result for its words. */
function toolsOf(turn: Turn | SessionTurn): ToolUse[] {
  return turn.role === 'tool' || !('tools' in turn) ? [] : (turn.tools ?? []);
}

function renderTool({ kind, name, text, isError }: ToolUse): string {
  const arrow = kind === 'call' ? '→' : '←';
  const words = [name ?? '', isError ? '(error)' : '', clip(oneLine(text), toolCharsMax)];
  return `${arrow} ${words.filter((word) => word !== '').join(' ')}\n`;
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
