/**
 * A program that cuts a text by its length may cut a character in two. Half of one cannot be written as UTF-8: the store
 * would hold another character in its place, and the next time it is said it would be compared with that. So it is
 * replaced before anything is compared: of a text that has none it is one look, and of ASCII not even that.
 */
export function wellFormed<T>(value: T): T {
  return isWellFormed(value) ? value : (mended(value) as T);
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isWellFormed);
  for (const name in value) {
    if (!name.isWellFormed() || !isWellFormed((value as Record<string, unknown>)[name]))
      return false;
  }
  return true;
}

/** JSON in, JSON out; the names of fields are text, too. */
function mended(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(mended);
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name.toWellFormed(), mended(one)]),
  );
}
