/** Texts as they are compared: small letters without accents, each where it stood before. */

const folded = new Map<string, string>();
/** Most texts are, and are folded in a fraction of the time. */
const isPlain = /^[\u0000-\u007f]*$/;

/** As long as the text, so that what is found in it is found at the same place in the text. */
export function fold(text: string): string {
  if (isPlain.test(text)) return text.toLowerCase();
  const plain = text.replace(/[^\u0000-\u007f]/g, foldUnit);
  return plain.replace(/[A-Z]/.test(plain) ? /[A-Z]+/g : /(?!)/g, (run) => run.toLowerCase());
}

/** Latin, Greek, Cyrillic, and the wide and narrow forms; others have no small letters to speak of. */
function foldUnit(unit: string): string {
  const known = folded.get(unit);
  if (known !== undefined) return known;
  const code = unit.charCodeAt(0);
  const isFolded = code < 0x2000 || code >= 0xff00;
  const first = isFolded ? (unit.normalize('NFKD').toLowerCase()[0] ?? unit) : unit;
  folded.set(unit, first);
  return first;
}
