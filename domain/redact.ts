/** Secrets by their shapes, cut out of whatever leaves a session: blocks, excerpts, answers, callbacks, exports. Paths and commit ids are none. */

import { withoutSpans, type Span } from './found-spans.ts';
import { apiKeys, escapes, namedSecrets, secretNames, signedTokens } from './long-secrets.ts';
import { privateKeys } from './private-keys.ts';
import { holdsTooMuch } from './scan-json.ts';

/** In place of a secret; what kind it was helps whoever looks for it. */
const gone = (kind: string) => `[redacted ${kind}]`;

interface Shape {
  kind: string;
  /**
   * What each has in it: most texts hold none of these, and are looked through only once. It begins with a character that
   * is rare, and looks back from there: then most of a text is passed over without a look, in a fifth of the time.
   */
  start: string;
  /**
   * Of a pattern group 1, where there is one, stays: it says what the secret was for. What has no end is one class of
   * characters and a star (no plus, not `{8,}`, no choice): of anything else each time takes room on a stack, which a few
   * megabytes overflow, with a plus only once the process has compiled so much that this is compiled plainly. What would
   * look far ahead from each place is found by hand.
   */
  secrets: RegExp | ((text: string) => Iterable<Span>);
}

/** Spelled out, as the expression of all starts minds case. */
function inAnyCase(words: string): string {
  return words.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
}

const shapes: readonly Shape[] = [
  { kind: 'private key', start: 'PRIVATE KEY', secrets: privateKeys },
  {
    kind: 'AWS key id',
    start: 'A(?:KIA|SIA|ROA|IDA|BIA|CCA)[A-Z0-9]{16}',
    secrets: /\b(?:AKIA|ASIA|AROA|AIDA|ABIA|ACCA)[A-Z0-9]{16}\b/g,
  },
  {
    kind: 'GitHub token',
    start: '_(?<=gh[pousr]_)[A-Za-z0-9]{20}|_(?<=github_)pat_',
    secrets:
      /\b(?:gh[pousr]_[A-Za-z0-9]{20}[A-Za-z0-9]*|github_pat_[A-Za-z0-9_]{20}[A-Za-z0-9_]*)/g,
  },
  { kind: 'GitLab token', start: '-(?<=glpat-)', secrets: /\bglpat-[\w-]{16}[\w-]*/g },
  { kind: 'Slack token', start: '-(?<=xox[abeprs]-)', secrets: /\bxox[abeprs]-[\w-]{10}[\w-]*/g },
  {
    kind: 'npm token',
    start: '_(?<=npm_)[A-Za-z0-9]{30}',
    secrets: /\bnpm_[A-Za-z0-9]{30}[A-Za-z0-9]*/g,
  },
  { kind: 'Google key', start: 'AIza[\\w-]{30}', secrets: /\bAIza[\w-]{30}[\w-]*/g },
  { kind: 'API key', start: '-(?<=sk-)[\\w-]{16}', secrets: apiKeys },
  {
    kind: 'API key',
    start: '_(?<=[srp]k_)(?:live|test)_',
    secrets: /\b[srp]k_(?:live|test)_[A-Za-z0-9]{10}[A-Za-z0-9]*/g,
  },
  { kind: 'token', start: 'J(?<=eyJ)[\\w-]{8}|_(?<=off_)[\\w-]{16}', secrets: signedTokens },
  {
    kind: 'credential',
    start: '[bB](?:earer|EARER)\\s\\s*[\\w.~+/=-]{12}',
    secrets: /\b(bearer\s\s*)(?=[^\s"'`]{0,200}\d)[A-Za-z0-9._~+/=-]{12}[A-Za-z0-9._~+/=-]*/gi,
  },
  // `basic` is a word of its own: what comes behind it is a secret only in a header.
  {
    kind: 'credential',
    start: 'z(?<=uthoriz)ation|Z(?<=UTHORIZ)ATION',
    secrets: new RegExp(
      `\\b(authorization${escapes}["']?\\s*[:=,]\\s*${escapes}["'\`]?basic\\s\\s*)[A-Za-z0-9+/_=-]{6}[A-Za-z0-9+/_=-]*`,
      'gi',
    ),
  },
  {
    kind: 'password',
    start: '://[^\\s/:@"\'<>]*:[^\\s/@"\'<>][^\\s/@"\'<>]*@',
    secrets: /(:\/\/[^\s/:@"'<>]*:)[^\s/@"'<>][^\s/@"'<>]*(?=@)/g,
  },
  {
    kind: 'secret',
    start: `[=:](?<=(?:${inAnyCase(secretNames)})${escapes}["']?\\s*[=:])`,
    secrets: namedSecrets,
  },
];
const starts = shapes.map(({ start }) => new RegExp(start));
const anyStart = new RegExp(shapes.map(({ start }) => start).join('|'));

const named = /pass(?:word|wd|phrase)|secret|token|key|credential/i;

export function redact(text: string): string {
  if (!anyStart.test(text)) return text;
  let safe = text;
  for (const [at, shape] of shapes.entries()) {
    if (starts[at]!.test(safe)) safe = without(safe, shape);
  }
  return safe;
}

/** The longest secret that is known by its end, too. */
export const secretCharsMax = 10_000;

/** Of a text that was cut: without its last word, which may be half a secret. Of one that is longer the rest stays. */
export function withoutCutWord(safe: string): string {
  const end = Math.max(safe.search(/\s\S*$/), safe.length - secretCharsMax, 0);
  return safe.slice(0, end).replace(/[\uD800-\uDBFF]$/, '');
}

function without(text: string, { kind, secrets }: Shape): string {
  const words = gone(kind);
  if (!(secrets instanceof RegExp)) return withoutSpans(text, secrets(text), words);
  return text.replace(secrets, (_, kept: unknown) =>
    typeof kept === 'string' ? kept + words : words,
  );
}

/**
 * A line of JSON stays one: each text in it for itself, also by the name that it stands under. What is none is a text.
 * Without a secret it is the same to the byte.
 */
export function redactLine(line: string): string {
  const [before = ''] = /^[\s,]*/.exec(line) ?? [];
  const json = line.slice(before.length).trimEnd();
  if ((!json.startsWith('{') && !json.startsWith('[')) || holdsTooMuch(json)) return redact(line);
  try {
    const value: unknown = JSON.parse(json);
    const safe = redactValue(value);
    if (safe === value) return line;
    return `${before}${JSON.stringify(safe)}${line.slice(before.length + json.length)}`;
  } catch {
    // Half a line, or one nested deeper than the stack.
    return redact(line);
  }
}

/** The same value where there is no secret in it. */
export function redactValue(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return redactNamed(value, name);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const safe = value.map((one) => redactValue(one, name));
    return safe.some((one, index) => one !== value[index]) ? safe : value;
  }
  const entries = Object.entries(value);
  const safe = entries.map(([key, one]) => [redactName(key), redactValue(one, key)] as const);
  const isSame = safe.every(([key, one], at) => key === entries[at]![0] && one === entries[at]![1]);
  return isSame ? value : Object.fromEntries(safe);
}

/** Names are short and the same again and again. */
const redactName = (name: string) => (name.length < 16 ? name : redact(name));

function redactNamed(text: string, name: string): string {
  const safe = redact(text);
  if (safe !== text || !named.test(name)) return safe;
  const said = `${name}=`;
  const whole = redact(said + text);
  return whole.startsWith(said) ? whole.slice(said.length) : safe;
}
