/** Where a prompt comes from: argument, `--prompt`, `--prompt-file`, or standard input. Byte for byte. */
import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { AppError } from '../contract/errors.ts';
import { hints } from '../contract/hints.ts';
import { limits } from '../contract/limits.ts';
import type { CliDeps } from './deps.ts';
import { usageError } from './report-error.ts';

export interface PromptOptions {
  prompt?: string;
  promptFile?: string;
}

export async function readPrompt(
  deps: Pick<CliDeps, 'input' | 'cwd'>,
  argument: string | undefined,
  { prompt, promptFile }: PromptOptions,
): Promise<string> {
  const given = [argument, prompt, promptFile].filter((one) => one !== undefined);
  if (given.length > 1) throw usageError('The prompt is given more than once.', howTo);
  if (promptFile !== undefined && promptFile !== '-') {
    return asText(await readFile(resolve(deps.cwd, promptFile)), promptFile);
  }
  const text = argument ?? prompt ?? promptFile ?? '-';
  if (text !== '-') return notBlank(text);
  if (given.length === 0 && deps.input.isTerminal) throw usageError('There is no prompt.', howTo);
  return asText(await readBounded(deps.input.read()), 'standard input');
}

const howTo =
  'Give it as an argument, with --prompt, with --prompt-file, or on standard input (-).';

async function readFile(path: string): Promise<Uint8Array> {
  try {
    return await readBounded(createReadStream(path));
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw usageError(`The prompt file cannot be read: ${(cause as Error).message}`);
  }
}

/** Not to its end, if it has any: what no server takes needs no memory here. */
async function readBounded(source: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.length;
    if (bytes > limits.promptBytesMax) {
      throw new AppError('prompt_too_large', `The prompt is over ${limits.promptBytesMax} bytes.`, {
        hint: hints.promptTooLarge.http,
      });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Wrong bytes would reach the agent as something else than was written. */
function asText(bytes: Uint8Array, name: string): string {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw usageError(`The prompt from ${name} is not valid UTF-8.`);
  }
  return notBlank(text);
}

function notBlank(text: string): string {
  if (text.trim() === '') throw usageError('The prompt is empty.', howTo);
  return text;
}
