/** A schema without its texts. A field may be called "description"; only texts go. */
export function withoutWords(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutWords);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, inner]) => key !== 'description' || typeof inner !== 'string')
      .map(([key, inner]) => [key, withoutWords(inner)]),
  );
}
