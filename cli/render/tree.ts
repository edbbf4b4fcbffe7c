/** The tree of a session: who asked whom, in which mode, and what became of it. */
import type { TreeNode } from '../../contract/records.ts';
import { oneLine } from '../../domain/plain-text.ts';
import { formatDuration } from './duration.ts';
import { statePaint } from './sessions.ts';
import { statusGlyph } from './status.ts';
import type { Style } from './style.ts';
import { cutMiddleTo, cutTo, padStartTo, padTo, widthOf } from './width.ts';

type Invocation = TreeNode['invocations'][number];
interface Line {
  /** Box characters, drawn before everything else. */
  branch: string;
  /** The same on a line below it. */
  under: string;
  title: string;
  /** What the next command takes: `get`, `logs`, `cancel`, or for a session `transcript` and `callbacks`. */
  name: string;
  /** Null for a session that runs nothing of ours. */
  invocation: Invocation | null;
  session: TreeNode;
}
interface Widths {
  left: number;
  mode: number;
  state: number;
  /** Mode and runner of an invocation, state and program of a session. */
  about: number;
  duration: number;
  name: number;
}
interface Look {
  style: Style;
  width: number;
}

/** Titles longer than this would push the other columns out of sight. */
const titleWidthMax = 60;
const titleWidthMin = 20;
/** Far down in a tree its branches leave no more. */
const titleWidthLeast = 8;
/** As long as our own ids, which are never cut. */
const nameWidthMin = 24;
const errorWidthMax = 60;
const gap = '  ';

export function renderTree(tree: TreeNode, look: Look): string {
  const lines = linesOf(tree, '', '');
  const widths = widthsOf(lines, look.width);
  return lines.map((line) => renderLine(line, widths, look)).join('');
}

function widthsOf(lines: readonly Line[], width: number): Widths {
  const mode = widest(lines.map(({ invocation }) => invocation?.executionMode ?? ''));
  const state = widest(lines.map(({ invocation, session }) => (invocation ? '' : session.state)));
  const about = widest(lines.map((line) => aboutOf(line, { mode, state }).trimEnd()));
  const duration = widest(lines.map(durationOf));
  const between = [about, duration].reduce(
    (sum, one) => sum + (one && one + gap.length),
    gap.length,
  );
  const name = Math.min(
    widest(lines.map(({ title, name: own }) => (title === own ? '' : own))),
    nameWidthMin,
  );
  const leftMax = Math.max(titleWidthMin, width - between - name);
  const left = Math.min(leftMax, titleWidthMax, widest(lines.map(leftOf)));
  return {
    left,
    mode,
    state,
    about,
    duration,
    name: Math.max(nameWidthMin, width - left - between),
  };
}

function renderLine(line: Line, widths: Widths, look: Look): string {
  const { style } = look;
  const { branch, invocation } = line;
  const taken = widthOf(branch) + (invocation ? 2 : 0);
  const room = Math.max(titleWidthLeast, widths.left - taken);
  // A session without words has its key for a title: it is not said twice.
  const isNamed = line.title !== line.name || widthOf(line.name) > room;
  const title = padTo(isNamed ? cutTo(line.title, room) : line.title, widths.left - taken);
  const cells = [
    invocation ? title : style.bold(title),
    paintedAbout(line, widths, style),
    ...(widths.duration === 0 ? [] : [style.dim(padStartTo(durationOf(line), widths.duration))]),
    ...(isNamed ? [style.dim(cutMiddleTo(line.name, widths.name))] : []),
  ];
  const glyph = invocation ? `${statusGlyph(invocation.status, style)} ` : '';
  const text = `${style.dim(branch)}${glyph}${cells.join(gap)}`.trimEnd();
  return `${text}${renderError(line, widths, look)}\n`;
}

/** Behind all else, or below it where there is no room. */
function renderError({ invocation, under }: Line, widths: Widths, { style, width }: Look): string {
  const error = cutTo(oneLine(invocation?.error ?? ''), errorWidthMax);
  if (error === '') return '';
  const { left, about, duration } = widths;
  const end = [left, about, duration, widthOf(invocation!.id)].filter((one) => one > 0);
  const room = width - end.reduce((sum, one) => sum + one + gap.length, 0);
  if (widthOf(error) <= room) return `${gap}${style.red(error)}`;
  const below = `${under}${gap}`;
  return `\n${style.dim(below)}${style.red(cutTo(error, width - widthOf(below)))}`;
}

function paintedAbout(line: Line, { mode, state, about }: Widths, style: Style): string {
  const { invocation, session } = line;
  const rest = ' '.repeat(Math.max(0, about - widthOf(aboutOf(line, { mode, state }))));
  if (invocation) {
    return `${style.dim(padTo(invocation.executionMode, mode))}${gap}${invocation.runnerId}${rest}`;
  }
  const word = statePaint(session.state, style)(padTo(session.state, state));
  return `${word}${gap}${style.dim(oneLine(session.harness ?? ''))}${rest}`;
}

function aboutOf({ invocation, session }: Line, at: { mode: number; state: number }): string {
  return invocation
    ? `${padTo(invocation.executionMode, at.mode)}${gap}${invocation.runnerId}`
    : `${padTo(session.state, at.state)}${gap}${oneLine(session.harness ?? '')}`;
}

/** A session's first invocation stands for it; later messages to it follow, before its children. */
function linesOf(node: TreeNode, branch: string, below: string): Line[] {
  const [first = null, ...later] = node.invocations;
  const bar = `${below}${node.children.length > 0 ? '│ ' : '  '}`;
  const title = first?.title ?? node.title ?? node.firstWords ?? node.sessionKey;
  const line = { session: node, under: bar };
  return [
    {
      ...line,
      branch,
      invocation: first,
      title: oneLine(title),
      name: first?.id ?? oneLine(node.sessionKey),
    },
    ...later.map((invocation) => ({
      ...line,
      branch: `${bar}↪ `,
      under: `${bar}  `,
      invocation,
      title: oneLine(invocation.title),
      name: invocation.id,
    })),
    ...node.children.flatMap((child, at) => {
      const isLast = at === node.children.length - 1;
      return linesOf(
        child,
        `${below}${isLast ? '└─ ' : '├─ '}`,
        `${below}${isLast ? '   ' : '│  '}`,
      );
    }),
  ];
}

const leftOf = ({ branch, invocation, title }: Line) =>
  `${branch}${invocation ? '✓ ' : ''}${title}`;

function durationOf({ invocation }: Line): string {
  const ms = invocation?.durationMs ?? null;
  return ms === null ? '' : formatDuration(ms);
}

function widest(texts: string[]): number {
  return texts.reduce((width, text) => Math.max(width, widthOf(text)), 0);
}
