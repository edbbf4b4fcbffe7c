/** What a child inherits, as it reads it. Each part has room of its own, so that none crowds out another. */
import { limits } from '../contract/limits.ts';
import { singleSpaced } from './plain-text.ts';
import { clip, firstLine } from './text.ts';

export interface BlockParts {
  sessionKey: string;
  title: string | null;
  checkpoint: string | null;
  /** Lines, as `tailOf` makes them. */
  tail: string[] | null;
  entities: string[];
  /** As `constraintLine` makes them, the most important first. */
  constraints: string[];
}

/**
 * The block, or null where there is nothing to say. At most `contextBlockCharsMax` and what the tail was
 * allowed. Lines of others are indented: none of them can pass for a heading of ours.
 */
export function renderContextBlock(parts: BlockParts): string | null {
  const sections = [
    section('Checkpoint:', fromStart(parts.checkpoint ?? '', rooms.checkpoint)),
    section('Recent context:', parts.tail ?? []),
    entitiesLine(parts.entities),
    section('Active constraints:', constraintLines(parts.constraints)),
  ].filter((one) => one !== null);
  if (sections.length === 0) return null;
  const title = parts.title === null ? '' : firstLine(parts.title, limits.titleCharsMax);
  const head = `## Inherited from Parent Session\n\n${title || 'active session'} (${parts.sessionKey})`;
  return sections.reduce((block, one) => `${block}\n${one}`, head);
}

const rooms = {
  checkpoint: limits.contextCheckpointCharsMax,
  entities: limits.contextEntitiesCharsMax,
  constraints: limits.contextConstraintsCharsMax,
};

export interface SaidTurn {
  seq: number;
  role: string;
  text: string;
}

export interface Tail {
  lines: string[];
  /** How many of the last turns they are of. */
  turns: number;
}

/**
 * The last lines that fit into `charsMax`, counted as they are shown. Never the rest of a line: where
 * not even the last one fits, it is shown from its beginning, and says that it goes on.
 */
export function tailOf(turns: readonly SaidTurn[], charsMax: number): Tail | null {
  const last = turns.at(-1);
  if (last === undefined || charsMax <= 0) return null;
  const lines: string[] = [];
  let from = turns.length - 1;
  let room = charsMax;
  for (let at = from; at >= 0 && room >= 0; at -= 1) {
    const { role, text } = turns[at]!;
    const all = said(role, text);
    for (let line = all.pop(); line !== undefined; line = all.pop()) {
      room -= shownLength(line);
      if (room < 0) break;
      lines.push(line);
      from = at;
    }
  }
  const isCut = lines.length === 0;
  const shown = isCut ? [clip(said(last.role, last.text).at(-1)!, charsMax)] : lines.toReversed();
  return { lines: shown, turns: turns.length - from };
}

/** As the seed's transcripts have it; a callback comes in a user's turn. */
function said(role: string, text: string): string[] {
  const label = role === 'assistant' ? 'Assistant: ' : 'User: ';
  return linesOf(`${label}${text.trimStart()}`);
}

/** What says something, each without what comes behind it. */
const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');

const margin = '  ';
const shownLength = (line: string) => margin.length + line.length + 1;

/** Strung together: each letter is copied once, when the block is told. */
function section(heading: string, lines: readonly string[]): string | null {
  if (lines.length === 0) return null;
  return lines.reduce((text, line) => text + newLine + line, heading);
}

const newLine = `\n${margin}`;

/** Whole lines from the beginning, as far as there is room; the first one is cut rather than left out. */
function fromStart(text: string, charsMax: number): string[] {
  const lines = linesOf(text.trimStart());
  let kept = 0;
  for (let room = charsMax - shownLength('…'); kept < lines.length; kept += 1) {
    room -= shownLength(lines[kept]!);
    if (room < 0) break;
  }
  if (kept === lines.length) return lines;
  return kept === 0 ? [clip(lines[0]!, charsMax - 3)] : [...lines.slice(0, kept), '…'];
}

function entitiesLine(names: string[]): string | null {
  if (names.length === 0) return null;
  return clip(`Focal entities: ${names.map(singleSpaced).join(', ')}`, rooms.entities);
}

export function constraintLine(entity: string, content: string): string {
  const line = `- ${singleSpaced(entity)}: ${singleSpaced(content)}`;
  return clip(line, limits.contextConstraintCharsMax);
}

const roomForConstraints = rooms.constraints - shownLength('… and 9999 more');

/** What has no room is counted. */
function constraintLines(lines: string[]): string[] {
  let kept = 0;
  for (let room = roomForConstraints; kept < lines.length; kept += 1) {
    room -= shownLength(lines[kept]!);
    if (room < 0) break;
  }
  const left = lines.length - kept;
  return left === 0 ? lines : [...lines.slice(0, kept), `… and ${left} more`];
}
