/** Columns that line up, with two spaces between them and no rules. */
import type { Paint } from './style.ts';
import { cutMiddleTo, cutTo, padStartTo, padTo, widthOf } from './width.ts';

export interface Column {
  title: string;
  /** Numbers stand at the right. */
  isRight?: boolean;
  /** Gives up its width when the lines are too long for the terminal; the widest of them gives first. */
  canShrink?: boolean;
  /** Before it gets narrower than this, another goes. */
  wants?: number;
  /** Cut there, where both ends tell one from another. */
  isCutInMiddle?: boolean;
  /** Left out where the others would be too narrow: first the column of which this is 1, then that of 2. */
  goes?: number;
}
export interface Cell {
  text: string;
  paint?: Paint;
}
type Rows = readonly (readonly Cell[])[];

const gap = '  ';
/** Below this a cut text says nothing. */
const shrunkMin = 12;

export function renderTable(
  columns: readonly Column[],
  rows: Rows,
  options: { width: number; head?: Paint },
): string {
  const all = columns.map((column, at) => ({ ...column, at, width: widest(column, rows, at) }));
  const shown = shrunk(withRoom(all, options.width), options.width);
  const line = (cells: readonly Cell[]) =>
    shown
      .map(({ at, width, isRight, isCutInMiddle }, index) => {
        const { text, paint = plain } = cells[at] ?? { text: '' };
        const cut = isCutInMiddle ? cutMiddleTo(text, width) : cutTo(text, width);
        const padded = isRight ? padStartTo(cut, width) : padTo(cut, width);
        return paint(index === shown.length - 1 ? padded.trimEnd() : padded);
      })
      .join(gap)
      .trimEnd();
  const head = columns.map(({ title }) => ({ text: title, paint: options.head ?? plain }));
  return [head, ...rows].map((cells) => `${line(cells)}\n`).join('');
}

type Placed = Column & { at: number; width: number };

const widest = ({ title }: Column, rows: Rows, at: number) =>
  Math.max(widthOf(title), ...rows.map((cells) => widthOf(cells[at]?.text ?? '')));

/** Without as many of those that can go as it takes for the others to have room. */
function withRoom(columns: Placed[], width: number): Placed[] {
  const needed = columns.map((one) =>
    one.canShrink ? { ...one, width: Math.min(one.width, one.wants ?? shrunkMin) } : one,
  );
  const [next] = columns
    .filter(({ goes }) => goes !== undefined)
    .toSorted((a, b) => a.goes! - b.goes!);
  if (next === undefined || lengthOf(needed) <= width) return columns;
  return withRoom(
    columns.filter((one) => one !== next),
    width,
  );
}

function shrunk(columns: Placed[], width: number): Placed[] {
  const given = columns.map((one) => ({ ...one }));
  for (let over = lengthOf(given) - width; over > 0; over -= 1) {
    const giving = given.filter((one) => one.canShrink && one.width > shrunkMin);
    const [first] = giving.toSorted((a, b) => b.width - a.width);
    if (first === undefined) break;
    first.width -= 1;
  }
  return given;
}

const lengthOf = (columns: readonly Placed[]) =>
  columns.reduce((sum, { width }) => sum + width, gap.length * (columns.length - 1));

const plain: Paint = (text) => text;
