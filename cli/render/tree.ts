/** The tree of a session: who asked whom, in which mode, and how it ended. */
import type { TreeNode } from '../../contract/records.ts';
import { formatDuration } from './duration.ts';
import { oneLine } from '../../domain/plain-text.ts';
import { statusGlyph } from './status.ts';
import type { Style } from './style.ts';
import { cutTo, padStartTo, padTo, widthOf } from './width.ts';

type Invocation = TreeNode['invocations'][number];
interface Line {
  /** Box characters, drawn before everything else. */
  branch: string;
  /** Null for a session that runs nothing of ours. */
  invocation: Invocation | null;
  title: string;
  /** What the next command takes: `get`, `logs`, `cancel`, or for a session `tree` and `callbacks`. */
  name: string;
}

/** Titles longer than this would push the other columns out of sight. */
const titleWidthMax = 60;
const gap = '  ';

export function renderTree(tree: TreeNode, options: { style: Style; width: number }): string {
  const lines = linesOf(tree, '', '');
  const runs = lines.flatMap(({ invocation }) => invocation ?? []);
  const widths = {
    mode: widest(runs.map((one) => one.executionMode)),
    runner: widest(runs.map((one) => one.runnerId)),
    duration: widest(runs.map(durationOf)),
    id: widest(runs.map((one) => one.id)),
    left: 0,
  };
  const right = widths.mode + widths.runner + widths.duration + widths.id + 4 * gap.length;
  const leftMax = Math.max(20, Math.min(titleWidthMax, options.width - right));
  widths.left = Math.min(leftMax, widest(lines.map(leftOf)));
  return lines.map((line) => `${renderLine(line, widths, options.style)}\n`).join('');
}

function renderLine(
  line: Line,
  widths: { left: number; mode: number; runner: number; duration: number; id: number },
  style: Style,
): string {
  const { branch, invocation } = line;
  const taken = widthOf(branch) + (invocation ? 2 : 0);
  const title = cutTo(line.title, Math.max(8, widths.left - taken));
  if (!invocation) {
    const name = line.name === line.title ? '' : `${gap}${style.dim(line.name)}`;
    return `${style.dim(branch)}${style.bold(title)}${name}`;
  }
  const cells = [
    padTo(title, widths.left - taken),
    style.dim(padTo(invocation.executionMode, widths.mode)),
    padTo(invocation.runnerId, widths.runner),
    style.dim(padStartTo(durationOf(invocation), widths.duration)),
    style.dim(padTo(invocation.id, widths.id)),
    ...(invocation.error === null ? [] : [style.red(cutTo(oneLine(invocation.error), 60))]),
  ];
  const glyph = statusGlyph(invocation.status, style);
  return `${style.dim(branch)}${glyph} ${cells.join(gap)}`.trimEnd();
}

/** A session's first invocation stands for it; later messages to it follow, before its children. */
function linesOf(node: TreeNode, branch: string, below: string): Line[] {
  const [first, ...later] = node.invocations;
  const name = node.title ?? node.sessionKey;
  const bar = node.children.length > 0 ? '│ ' : '  ';
  return [
    {
      branch,
      invocation: first ?? null,
      title: oneLine(first?.title ?? name),
      name: node.sessionKey,
    },
    ...later.map((invocation) => ({
      branch: `${below}${bar}↪ `,
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

function leftOf({ branch, invocation, title }: Line): string {
  return `${branch}${invocation ? '✓ ' : ''}${title}`;
}

function durationOf({ durationMs }: Invocation): string {
  return durationMs === null ? '' : formatDuration(durationMs);
}

function widest(texts: string[]): number {
  return texts.reduce((width, text) => Math.max(width, widthOf(text)), 0);
}
