/** Finds an agent program's answer in the JSON that it prints. */
import type { ResultPath, TokenUsage } from '../contract/run.ts';
import type { HeadAndTail } from './head-and-tail.ts';
import { storable } from './storable-text.ts';

export type Answer =
  | {
      kind: 'answer';
      /** Null where the path leads nowhere. */
      content: string | null;
      tokenUsage: TokenUsage | null;
      /** Null where the answer does not say. */
      isError: boolean | null;
      /** What it says went wrong, for an error that comes without a content. */
      complaint: string | null;
    }
  | { kind: 'invalid'; problem: string };

/**
 * The whole output is one JSON value, or the last line that is an object counts: programs that
 * stream print their result last, and a line that is not JSON is no reason to lose it.
 */
export function readAnswer(output: HeadAndTail, path: ResultPath | null): Answer {
  const found = output.leftOutBytes > 0 ? lastObject(output.tail()) : parse(output.text(String));
  if (found === undefined) return { kind: 'invalid', problem: 'the output holds no JSON' };
  return {
    kind: 'answer',
    ...(isObjectForm(path) ? byPaths(found, path) : bySiblings(found, path)),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return lastObject(text);
  }
}

function lastObject(text: string): unknown {
  let end = text.length;
  while (end > 0) {
    const start = text.lastIndexOf('\n', end - 1) + 1;
    const line = text.slice(start, end).trim();
    end = start - 1;
    if (!line.startsWith('{')) continue;
    try {
      return JSON.parse(line) as unknown;
    } catch {
      // Not a line of JSON: the one before may be.
    }
  }
  return undefined;
}

type ObjectForm = Extract<ResultPath, object>;

function isObjectForm(path: ResultPath | null): path is ObjectForm {
  return typeof path === 'object' && path !== null;
}

function byPaths(found: unknown, path: ObjectForm) {
  return {
    content: asText(at(found, path.content)),
    tokenUsage: usage(at(found, path.tokensInput), at(found, path.tokensOutput)),
    isError: asFlag(at(found, path.isError)),
    complaint: null,
  };
}

/** `usage` and `is_error` stand beside the answer, as in what `claude -p` prints. */
function bySiblings(found: unknown, path: string | null) {
  const beside = path?.includes('.') ? at(found, path.slice(0, path.lastIndexOf('.'))) : found;
  return {
    content: asText(path === null ? found : at(found, path)),
    tokenUsage: usage(at(beside, 'usage.input_tokens'), at(beside, 'usage.output_tokens')),
    isError: asFlag(at(beside, 'is_error')),
    complaint: asText(at(beside, 'errors.0') ?? at(beside, 'error') ?? at(beside, 'subtype')),
  };
}

/** Names and places joined by dots; a negative place counts from the end of a list. */
function at(value: unknown, path: string | undefined): unknown {
  if (path === undefined) return undefined;
  return path.split('.').reduce<unknown>((inner, name) => {
    if (Array.isArray(inner)) return /^-?\d+$/.test(name) ? inner.at(Number(name)) : undefined;
    if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, name))
      return undefined;
    return (inner as Record<string, unknown>)[name];
  }, value);
}

function asText(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return storable(typeof value === 'string' ? value : JSON.stringify(value));
}

function asFlag(value: unknown): boolean | null {
  return typeof value === 'boolean' ? value : null;
}

/** Both counts or none: half a usage would be added up as if the rest had been nothing. */
function usage(input: unknown, output: unknown): TokenUsage | null {
  return isCount(input) && isCount(output) ? { input, output } : null;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
