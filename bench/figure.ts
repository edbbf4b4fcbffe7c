/** One line of the summary: what was measured, beside its floor and its bound. */
import { median, ratioOf } from './statistics.ts';

export interface Figure {
  what: string;
  ours: string;
  floor: string;
  ratio: string;
  bound: string;
  /** Null where nothing is promised: the figure is only reported. */
  isMet: boolean | null;
}

/** Medians in milliseconds and their ratio, with the least and the greatest of its parts. */
export function ratioFigure(
  what: string,
  { ours, floor }: { ours: readonly number[]; floor: readonly number[] },
  bound: { atMost: number } | null,
): Figure {
  const { ratio, min, max } = ratioOf(ours, floor);
  return {
    what,
    ours: `${median(ours).toFixed(1)} ms`,
    floor: `${median(floor).toFixed(1)} ms`,
    ratio: `${ratio.toFixed(2)} (${min.toFixed(2)}-${max.toFixed(2)})`,
    bound: bound === null ? 'reported' : `<= ${bound.atMost}`,
    isMet: bound === null ? null : ratio <= bound.atMost,
  };
}

/** Invocations a second, ours and the bare ones', and the median of the rounds' ratios. */
export function rateFigure(
  what: string,
  rates: { ours: readonly number[]; floor: readonly number[] },
  atLeast: number,
): Figure {
  const { ratio, min, max } = ratioOf(rates.ours, rates.floor, rates.ours.length);
  return {
    what,
    ours: `${median(rates.ours).toFixed(1)} /s`,
    floor: `${median(rates.floor).toFixed(1)} /s`,
    ratio: `${ratio.toFixed(2)} (${min.toFixed(2)}-${max.toFixed(2)})`,
    bound: `>= ${atLeast}`,
    isMet: ratio >= atLeast,
  };
}

/** A figure that is bounded by itself; a count has no unit. */
export function plainFigure(what: string, value: number, unit: string, atMost: number): Figure {
  // Less than one is told with one digit more.
  const digits = (n: number) => n.toFixed(n < 1 ? 2 : 1);
  const told = (n: number) => `${Number.isInteger(n) ? n : digits(n)}${unit && ` ${unit}`}`;
  return {
    what,
    ours: told(value),
    floor: '',
    ratio: '',
    bound: `<= ${told(atMost)}`,
    isMet: value <= atMost,
  };
}

/** A share of a whole, or any other small number without a unit. */
export function shareFigure(what: string, value: number, atMost: number): Figure {
  return {
    ...{ what, ours: value.toFixed(3), floor: '', ratio: '' },
    ...{ bound: `<= ${atMost}`, isMet: value <= atMost },
  };
}

export function note(what: string, ours: string): Figure {
  return { what, ours, floor: '', ratio: '', bound: 'reported', isMet: null };
}

/** A Markdown table, so that it can be put into docs/performance.md as it is. */
export function table(figures: readonly Figure[]): string {
  const head = ['what', 'ours', 'floor', 'ratio', 'bound', ''];
  const rows = figures.map(({ what, ours, floor, ratio, bound, isMet }) => [
    ...[what, ours, floor, ratio, bound],
    isMet === null ? '' : isMet ? 'ok' : 'MISSED',
  ]);
  const widths = head.map((name, at) =>
    Math.max(name.length, ...rows.map((row) => row[at]!.length)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at]!)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
