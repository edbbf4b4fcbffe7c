/** What is wrong with a value that was given, in words for whoever wrote it. */
import { z } from 'zod';

/** Given to a parse as its `error`: it sees the value, which the finished issue does not hold any more. */
export function issueWords(issue: z.core.$ZodRawIssue): string | undefined {
  const { input } = issue;
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeys(issue.inst);
    return issue.keys.map((name) => unknownKey(name, known)).join('\n');
  }
  if (issue.code === 'invalid_key') return issue.issues[0]?.message;
  if (issue.code === 'invalid_value') {
    const choices = issue.values.map((value) => `\`${String(value)}\``);
    const wanted = choices.length === 1 ? `${choices[0]}` : `one of ${choices.join(', ')}`;
    if (input === undefined) return `is missing: it must be ${wanted}`;
    return `must be ${wanted}, not ${shown(input)}`;
  }
  if (issue.code === 'invalid_type') return wrongType(issue, issue.expected);
  if (issue.code === 'too_small') return tooSmall(issue.origin, Number(issue.minimum));
  if (issue.code === 'too_big') return tooBig(issue.origin, Number(issue.maximum));
  return issue.code === 'invalid_format' ? formatWords[issue.format] : undefined;
}

const formatWords: Record<string, string> = {
  url: 'must be a URL',
  datetime: 'must be a time with its zone, such as 2026-03-08T10:00:00Z',
};

/** One line per mistake: where it is, then what is wrong with it. Keys are named. */
export function describeIssues(error: z.ZodError): string {
  return error.issues
    .map((issue) => {
      const where = issue.path.join('.') || '(top level)';
      if (issue.code !== 'unrecognized_keys') return `${where}: ${issue.message}`;
      const words = issue.message.split('\n');
      return issue.keys
        .map((name, at) => {
          const said = words[at]?.startsWith(notKnown) ? words[at] : notKnown;
          return `${[...issue.path, name].join('.')}: ${said}`;
        })
        .join('\n');
    })
    .join('\n');
}

const notKnown = 'is not a known key';

function unknownKey(name: string, known: string[]): string {
  const nearest = known
    .map((one) => ({ one, distance: editDistance(name.toLowerCase(), one.toLowerCase()) }))
    .toSorted((a, b) => a.distance - b.distance)[0];
  // More than a third of its letters wrong is another word, not a slip.
  if (nearest && nearest.distance <= Math.max(1, Math.floor(nearest.one.length / 3))) {
    return `${notKnown}; did you mean \`${nearest.one}\`?`;
  }
  return known.length === 0 ? notKnown : `${notKnown}; there are ${known.join(', ')}`;
}

function knownKeys(schema: unknown): string[] {
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

/** Letters that must be put in, taken out or changed to make one word of the other. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let index = 0; index < from.length; index += 1) {
    const next = [index + 1];
    for (let at = 0; at < to.length; at += 1) {
      const change = (row[at] ?? 0) + (from[index] === to[at] ? 0 : 1);
      next.push(Math.min(change, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}

const typeWords: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: '`true` or `false`',
  array: 'a list',
  object: 'a group of keys',
  record: 'a group of keys',
};

function wrongType(issue: z.core.$ZodRawIssue, expected: string): string {
  const wanted = typeWords[expected] ?? expected;
  if (issue.input === undefined) return `is missing: it must be ${wanted}${inBrackets(issue.inst)}`;
  if (issue.input === null) return `is empty: give it ${wanted}, or remove the key`;
  // Of what a query had to be made a number, nothing is left to be shown.
  if (Number.isNaN(issue.input)) return `must be ${wanted}`;
  return `must be ${wanted}, not ${shown(issue.input)}`;
}

/** What the field is, as its description says it to readers of the API. */
function inBrackets(schema: unknown): string {
  const text = schema instanceof z.ZodType ? schema.description : undefined;
  if (text === undefined) return '';
  const isWord = /^[A-Z][a-z]/.test(text);
  return ` (${isWord ? text.charAt(0).toLowerCase() + text.slice(1) : text})`;
}

function tooSmall(origin: string, minimum: number): string {
  if (origin === 'number') return `must be ${minimum} or more`;
  if (minimum === 1) return 'must not be empty';
  return `must hold ${minimum} or more`;
}

function tooBig(origin: string, maximum: number): string {
  if (origin === 'number') return `must be ${maximum} or less`;
  return `must hold at most ${maximum} ${origin === 'string' ? 'characters' : 'entries'}`;
}

/** Short values as they are; of longer ones, and of what may be secret by its size, only the kind. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'a group of keys';
  // JSON has no word for a number without an end.
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value));
  return text.length <= shownCharsMax ? text : 'this';
}
/** A mistyped word or number is shorter. */
const shownCharsMax = 24;
