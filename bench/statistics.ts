export const median = (values: readonly number[]) => quantile(values, 0.5);

export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

export interface Ratio {
  /** The median of the parts' ratios: a burst of other work spoils one part, not the figure. */
  ratio: number;
  min: number;
  max: number;
}

/** Both sides' samples were taken in turns; each part is a stretch of time that both had alike. */
export function ratioOf(ours: readonly number[], floor: readonly number[], parts = 10): Ratio {
  const size = Math.max(1, Math.ceil(ours.length / parts));
  const ratios: number[] = [];
  for (let at = 0; at < ours.length; at += size) {
    ratios.push(median(ours.slice(at, at + size)) / median(floor.slice(at, at + size)));
  }
  return { ratio: median(ratios), min: Math.min(...ratios), max: Math.max(...ratios) };
}
