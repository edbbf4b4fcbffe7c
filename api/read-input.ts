/** One request's input: path, then query or body, parsed once with the operation's schema. */
import { isAscii, isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Context } from 'hono';
import type { z } from 'zod';
import { isShallow } from '../contract/depth.ts';
import { AppError } from '../contract/errors.ts';
import { hints } from '../contract/hints.ts';
import { describeIssues, issueWords } from '../contract/issues.ts';
import { limits } from '../contract/limits.ts';
import { holdsTooMuch } from '../domain/scan-json.ts';
import type { ApiEnv } from './gate.ts';

export async function readInput(
  c: Context<ApiEnv>,
  operation: { method: string; input: z.ZodType },
  pathNames: readonly string[],
): Promise<unknown> {
  const hasBody = operation.method === 'POST' || operation.method === 'PUT';
  const given = hasBody ? await readJsonObject(c) : readQuery(c);
  const input: Record<string, unknown> = { ...given };
  for (const name of pathNames) {
    const value = c.req.param(name);
    if (name in given && given[name] !== value) {
      throw new AppError('bad_request', `${name}: differs from the one in the path`, {
        hint: 'Leave it out of the body: the path says it.',
      });
    }
    input[name] = value;
  }
  const parsed = parseInput(operation.input, input);
  refuseLongPrompt(parsed);
  return parsed;
}

export function parseInput<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const parsed = schema.safeParse(input, { error: issueWords });
  if (parsed.success) return parsed.data;
  throw new AppError('bad_request', describeIssues(parsed.error).replaceAll('\n', '; '), {
    hint: hints.fields.http,
  });
}

/** No body is an empty object: `cancel` and `send` need nothing but their path. */
export async function readJsonObject(c: Context<ApiEnv>): Promise<Record<string, unknown>> {
  const text = await readText(c);
  if (text.trim() === '') return {};
  // No program's hook is as long: those are not gone through once more.
  if (text.length > limits.hookInputBytesMax && holdsTooMuch(text)) {
    throw new AppError('bad_request', `The body holds over ${limits.jsonValuesMax} values.`, {
      hint: 'Send it in parts.',
    });
  }
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (cause) {
    throw new AppError('bad_request', `The body is not JSON: ${(cause as Error).message}`, {
      cause,
      hint: hints.fields.http,
    });
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new AppError('bad_request', 'The body must be a JSON object.', {
      hint: hints.fields.http,
    });
  }
  const fields = Object.entries(body);
  if (fields.length > limits.bodyFieldsMax) {
    throw new AppError('bad_request', `The body has over ${limits.bodyFieldsMax} fields.`, {
      hint: 'Send them as one field.',
    });
  }
  const deep = fields.find(([, value]) => !isShallow(value));
  if (deep) {
    throw new AppError('bad_request', `${deep[0]}: is nested deeper than ${limits.jsonLevelsMax}`, {
      hint: 'Send what lies deeper as text.',
    });
  }
  return body as Record<string, unknown>;
}

async function readText(c: Context<ApiEnv>): Promise<string> {
  let bytes: Buffer;
  try {
    bytes = await readBytes(c);
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    // Nobody reads this answer; but its sender's going away is no failure of ours.
    throw new AppError('bad_request', 'The body broke off.', { cause });
  }
  // Three times as fast, and megabytes of code and English hold nothing else.
  if (isAscii(bytes)) return bytes.toString('latin1');
  // Wrong bytes are refused, not replaced: a prompt reaches its agent byte for byte.
  if (!isUtf8(bytes)) {
    throw new AppError('bad_request', 'The body is not valid UTF-8.', {
      hint: 'Send text in UTF-8, and bytes of another kind in a file.',
    });
  }
  // A tenth faster than a decoder, which would leave out a byte order mark by itself.
  const text = bytes.toString('utf8');
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

/**
 * A body whose length is told is read in one piece, for which no stream has to be built; the parser lets
 * no more of it through, and no less. Of one without a length, reading stops at the cap.
 */
async function readBytes({ req: { raw: request }, env }: Context<ApiEnv>): Promise<Buffer> {
  const told = request.headers.get('content-length');
  const bytes = Number(told ?? 0);
  if (bytes > limits.bodyBytesMax) throw tooLarge();
  if (bytes > COPIED_BYTES_MAX && env?.incoming) return readWhole(env.incoming, bytes);
  if (told !== null) return Buffer.from(await request.arrayBuffer());
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > limits.bodyBytesMax) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Through a request, which is quicker for little, each byte is copied twice, and all of it is garbage at once. */
const COPIED_BYTES_MAX = 256 * 1024;

async function readWhole(incoming: Readable, size: number): Promise<Buffer> {
  let bytes = Buffer.alloc(0);
  let filled = 0;
  incoming.on('data', (chunk: Buffer) => {
    // Not before something has come: who only announces much is given nothing.
    if (filled === 0) bytes = Buffer.allocUnsafe(size);
    filled += chunk.copy(bytes, filled);
  });
  await finished(incoming);
  return bytes.subarray(0, filled);
}

function tooLarge(): AppError {
  return new AppError('body_too_large', `The body is over ${limits.bodyBytesMax} bytes.`, {
    hint: 'Put large material into a file of the workspace and name it in context.files.',
  });
}

/** A name given once is a text; given several times it is a list, which the schema judges. */
function readQuery(c: Context): Record<string, unknown> {
  const query = new URL(c.req.url).searchParams;
  return Object.fromEntries(
    [...new Set(query.keys())].map((name) => {
      const values = query.getAll(name);
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
}

function refuseLongPrompt(input: unknown): void {
  const prompt = (input as { prompt?: unknown }).prompt;
  if (typeof prompt !== 'string' || Buffer.byteLength(prompt) <= limits.promptBytesMax) return;
  throw new AppError('prompt_too_large', `The prompt is over ${limits.promptBytesMax} bytes.`, {
    hint: 'Put the material into a file of the workspace and name it in context.files.',
  });
}
