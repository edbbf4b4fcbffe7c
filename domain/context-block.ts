/** What a child inherits, as it reads it. Each part has room of its own, so that none crowds out another. */
import { limits } from '../contract/limits.ts';
import { clip, firstLine } from './text.ts';

export interface BlockParts {
  sessionKey: string;
  title: string | null;
  checkpoint: string | null;
  tail: string | null;
  entities: string[];
  constraints: { entity: string; content: string }[];
}

/**
 * The block, or null where there is nothing to say. At most `contextBlockCharsMax` and what the tail was
 * allowed. Lines of others are indented: none of them can pass for a heading of ours.
 */
export function renderContextBlock(parts: BlockParts): string | null {
  const sections = [
    section('Checkpoint:', parts.checkpoint && fromStart(parts.checkpoint, rooms.checkpoint)),
    section('Recent context:', parts.tail && indent(parts.tail)),
    entitiesLine(parts.entities),
    section('Active constraints:', constraintLines(parts.constraints)),
  ].filter((one) => one !== null);
  if (sections.length === 0) return null;
  const title = parts.title === null ? '' : firstLine(parts.title, limits.titleCharsMax);
  const head = `## Inherited from Parent Session\n\n${title || 'active session'} (${parts.sessionKey})`;
  return [head, ...sections].join('\n');
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
  text: string;
  fromSeq: number;
  toSeq: number;
}

/**
 * The last lines that fit into `charsMax`, counted as they are shown. Never the rest of a line: where
 * not even the last one fits, it is shown from its beginning, and says that it goes on.
 */
export function tailOf(turns: readonly SaidTurn[], charsMax: number): Tail | null {
  const lines = turns.flatMap(({ seq, role, text }) =>
    said(role, text).map((line) => ({ seq, line })),
  );
  const last = lines.at(-1);
  if (last === undefined || charsMax <= 0) return null;
  let from = lines.length;
  for (let room = charsMax; from > 0; from -= 1) {
    room -= shownLength(lines[from - 1]!.line);
    if (room < 0) break;
  }
  if (from === lines.length) {
    return { text: clip(last.line, charsMax), fromSeq: last.seq, toSeq: last.seq };
  }
  const shown = lines.slice(from);
  return {
    text: shown.map(({ line }) => line).join('\n'),
    fromSeq: shown[0]!.seq,
    toSeq: last.seq,
  };
}

/** As the seed's transcripts have it; a callback comes in a user's turn. */
function said(role: string, text: string): string[] {
  const label = role === 'assistant' ? 'Assistant: ' : 'User: ';
  return `${label}${text.trim()}`.split(/\r?\n/).filter((line) => line.trim() !== '');
}

const margin = '  ';
const shownLength = (line: string) => margin.length + line.length + 1;

function section(heading: string, body: string | null): string | null {
  return body ? `${heading}\n${body}` : null;
}

/** Whole lines from the beginning, as far as there is room; the first one is cut rather than left out. */
function fromStart(text: string, charsMax: number): string {
  const lines = text
    .trim()
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '');
  const kept: string[] = [];
  let room = charsMax - shownLength('…');
  for (const line of lines) {
    room -= shownLength(line);
    if (room < 0) break;
    kept.push(line);
  }
  if (kept.length === 0 && lines.length > 0) return indent(clip(lines[0]!, charsMax - 3));
  return indent([...kept, ...(kept.length < lines.length ? ['…'] : [])].join('\n'));
}

function indent(text: string): string {
  return text
    .split('\n')
    .map((line) => margin + line)
    .join('\n');
}

function entitiesLine(names: string[]): string | null {
  if (names.length === 0) return null;
  return clip(`Focal entities: ${names.map(onOneLine).join(', ')}`, rooms.entities);
}

/** The most important first; what has no room is counted. */
function constraintLines(constraints: BlockParts['constraints']): string | null {
  const kept: string[] = [];
  let room = rooms.constraints - shownLength('… and 9999 more');
  for (const { entity, content } of constraints) {
    const line = clip(
      `- ${onOneLine(entity)}: ${onOneLine(content)}`,
      limits.contextConstraintCharsMax,
    );
    room -= shownLength(line);
    if (room < 0) break;
    kept.push(line);
  }
  const left = constraints.length - kept.length;
  if (left > 0) kept.push(`… and ${left} more`);
  return kept.length === 0 ? null : indent(kept.join('\n'));
}

/** Single spaces are left where they are: most texts have nothing else. */
const onOneLine = (text: string) => text.replace(/\s\s+|[^\S ]/g, ' ').trim();
