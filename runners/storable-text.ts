/**
 * Text that every layer can hold. SQLite's own functions end a text at NUL, and half a surrogate
 * pair has no UTF-8 form: both become U+FFFD, as bytes that are not UTF-8 do.
 */
export function storable(text: string): string {
  return Buffer.from(text.replaceAll('\0', '\uFFFD')).toString();
}

export function decode(bytes: Uint8Array): string {
  return storable(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString());
}

/** Without its trailing line ends. A loop: the obvious pattern is quadratic in hostile output. */
export function withoutTrailingNewlines(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === '\n' || text[end - 1] === '\r')) end -= 1;
  return text.slice(0, end);
}

/** The last part of a text, marked where something went before it. */
export function tailOf(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : `…${storable(text.slice(1 - charsMax))}`;
}
