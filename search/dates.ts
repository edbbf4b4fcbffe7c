/** The day of a turn as tokens of the index, and the words of a query that mean such tokens. */

const months =
  'january february march april may june july august september october november december';
/** "may" and "march" are words of their own, too: then the date is one way to be found among others. */
const monthOf = new Map(
  months
    .split(' ')
    .flatMap(
      (name, at) =>
        [
          [name, at + 1],
          ...(name.length > 4 && name !== 'march' ? ([[name.slice(0, 3), at + 1]] as const) : []),
        ] as [string, number][],
    ),
);

/** Of an ISO time: `y2026 m3`. A day of a month is a number like any other, and not worth its room. */
export function tokensOfDay(at: string): string {
  return `y${at.slice(0, 4)} m${Number(at.slice(5, 7))}`;
}

/** The token that a word of a query may mean, quoted; null for most words. */
export function dateTokens(word: string): string | null {
  const month = monthOf.get(word);
  if (month !== undefined) return `"m${month}"`;
  return /^(19|20)\d\d$/.test(word) ? `"y${word}"` : null;
}
