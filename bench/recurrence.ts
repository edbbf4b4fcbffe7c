/** How soon somebody asks again, told from counts alone: they do not say who has asked. */

export interface Askers {
  /** So many ask by themselves, each on a timer of its own. */
  sources: number;
  /** So many requests come together each time that one of them asks. */
  each: number;
}

/**
 * The shortest distance, in samples, after which one of them must have asked again: of more moments than there are
 * sources, two are of the same one. Infinity if nobody must have.
 */
export function soonestAgain(counts: readonly number[], { sources, each }: Askers): number {
  const moments = momentsOf(counts, each);
  const distances = moments.slice(sources).map((at, n) => at - moments[n]!);
  return Math.min(Infinity, ...distances);
}

/** The samples in which somebody asked. What was cut in two by a sample is one moment, in the first of both. */
function momentsOf(counts: readonly number[], each: number): number[] {
  let room = 0;
  return counts.flatMap((count, at) => {
    const left = Math.max(0, count - room);
    const begun = Math.ceil(left / each);
    room = begun * each - left;
    return Array.from({ length: begun }, () => at);
  });
}
