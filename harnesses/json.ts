/** Reading what other programs wrote: every field may be missing or of another kind than last week. */

export type JsonObject = Readonly<Record<string, unknown>>;

export function objectOf(value: unknown): JsonObject | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : null;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A string with something in it. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** What a tool was given or gave back: text as it is, all else as JSON. */
export function textOrJson(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

/** The last that has four digits of year, in milliseconds: a longer one does not compare as text. */
const timeMax = 253_402_300_799_999;
/** Below it a number counts seconds: as milliseconds it would lie in 1973. */
const secondsMax = 100_000_000_000;

/** As text: of other words a date is made, too, of `call 5` a day in May. */
const timeText = /^\d{4}-\d\d-\d\d|\b\d{4}\b.* \d\d:\d\d/;
/** Fewer digits are a year, or a day. */
const digits = /^\d{10,20}(?:\.\d{1,20})?$/;
/** Nobody writes a time in more: a longer text is not looked through for one. */
const timeCharsMax = 100;

/** ISO time of what programs write as text, milliseconds or seconds. Nothing was said at the beginning of time. */
export function timeOf(value: unknown): string | null {
  if (typeof value === 'string') {
    if (value.length > timeCharsMax) return null;
    if (digits.test(value)) return timeOf(Number(value));
    return timeText.test(value) ? isoOf(Date.parse(value)) : null;
  }
  if (typeof value !== 'number') return null;
  return isoOf(value < secondsMax ? value * 1000 : value);
}

function isoOf(ms: number): string | null {
  return ms > 0 && ms <= timeMax ? new Date(ms).toISOString() : null;
}

export interface Watched {
  /** The object itself, as its reader sees it. */
  seen: JsonObject;
  /** Its fields that nobody has read yet; of an object in it that was read, those of its own. */
  unread(): JsonObject;
}

/** What is known of a payload is what its reader has asked for: no list of it can grow old. */
export function watchReads(object: JsonObject): Watched {
  const read = new Map<string, Watched | null>();
  const seen = new Proxy(object, {
    get(_, name: string) {
      const value = object[name];
      const inner = objectOf(value);
      if (!read.has(name)) read.set(name, inner && watchReads(inner));
      return read.get(name)?.seen ?? value;
    },
  });
  const unread = () => {
    const left = Object.entries(object).map(([name, value]): [string, unknown] => {
      return [name, read.has(name) ? read.get(name)?.unread() : value];
    });
    return Object.fromEntries(left.filter(([, value]) => !isNothing(value)));
  };
  return { seen, unread };
}

function isNothing(value: unknown): boolean {
  const fields = objectOf(value);
  if (fields !== null) return Object.keys(fields).length === 0;
  return value === undefined || value === null || value === '';
}
