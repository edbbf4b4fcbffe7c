/** Columns that line up, with two spaces between them and no rules. */
import type { Paint } from './style.ts';
import { cutTo, padStartTo, padTo, widthOf } from './width.ts';

export interface Column {
  title: string;
  /** Numbers stand at the right. */
  isRight?: boolean;
  /** Gives up its width when the lines are too long for the terminal; the first of them gives first. */
  canShrink?: boolean;
}
export interface Cell {
  text: string;
  paint?: Paint;
}

const gap = '  ';
/** Below this a cut text says nothing. */
const shrunkMin = 12;

export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  options: { width: number; head?: Paint },
): string {
  const widths = columnWidths(columns, rows, options.width);
  const line = (cells: readonly Cell[]) =>
    cells
      .map(({ text, paint = plain }, at) => {
        const width = widths[at] ?? 0;
        const padded = columns[at]?.isRight
          ? padStartTo(cutTo(text, width), width)
          : padTo(cutTo(text, width), width);
        return paint(at === cells.length - 1 ? padded.trimEnd() : padded);
      })
      .join(gap)
      .trimEnd();
  const head = columns.map(({ title }) => ({ text: title, paint: options.head ?? plain }));
  return [head, ...rows].map((cells) => `${line(cells)}\n`).join('');
}

function columnWidths(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  width: number,
): number[] {
  const widths = columns.map(({ title }, at) =>
    Math.max(widthOf(title), ...rows.map((cells) => widthOf(cells[at]?.text ?? ''))),
  );
  let over = widths.reduce((sum, one) => sum + one, 0) + gap.length * (columns.length - 1) - width;
  for (const [at, { canShrink }] of columns.entries()) {
    if (!canShrink || over <= 0) continue;
    const full = widths[at] ?? 0;
    const shrunk = Math.min(full, Math.max(shrunkMin, full - over));
    widths[at] = shrunk;
    over -= full - shrunk;
  }
  return widths;
}

const plain: Paint = (text) => text;
