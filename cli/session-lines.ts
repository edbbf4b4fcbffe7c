/** The lines of exported sessions: as the server gives them page by page, and in pages that it takes. */
import type { OffshootClient } from '../client/index.ts';
import { AppError } from '../contract/errors.ts';
import type { OperationInput, OperationOutput } from '../contract/operations.ts';

/** One request of an import; a longer line goes alone. The server holds each page whole. */
const importCharsMax = 4 * 1024 * 1024;

/** Every page begins with the line about the session: it is said once, and again where it has changed meanwhile. */
export async function* exportedText(
  client: OffshootClient,
  asked: OperationInput<'exportSession'>,
): AsyncGenerator<string, void> {
  let head = '';
  for (let after: number | null = 0; after !== null;) {
    const page: OperationOutput<'exportSession'> = await client.call('exportSession', {
      ...asked,
      after,
    });
    const end = page.jsonl.indexOf('\n') + 1;
    const isSame = page.jsonl.slice(0, end) === head;
    head = page.jsonl.slice(0, end);
    yield isSame ? page.jsonl.slice(end) : page.jsonl;
    after = page.nextAfter;
  }
}

export interface ImportedPage {
  jsonl: string;
  /** Of each of its lines, where it stands in what was given. */
  numbers: number[];
}

/** What one request takes: turns of one session, with the line about it before them. */
export async function* importedPages(
  lines: AsyncIterable<string>,
): AsyncGenerator<ImportedPage, void> {
  let page: Page | undefined;
  let number = 0;
  for await (const line of lines) {
    number += 1;
    if (line.trim() === '') continue;
    if (aboutSession.test(line)) {
      if (page !== undefined) yield imported(page);
      page = pageOf({ line, number });
      continue;
    }
    if (page === undefined) throw notExported(number);
    if (page.turns.length > 0 && page.chars + line.length > importCharsMax) {
      yield imported(page);
      page = pageOf(page.head);
    }
    page.turns.push({ line, number });
    page.chars += line.length;
  }
  if (page === undefined) throw notExported(number);
  yield imported(page);
}

interface Numbered {
  line: string;
  number: number;
}

interface Page {
  head: Numbered;
  turns: Numbered[];
  chars: number;
}

const pageOf = (head: Numbered): Page => ({ head, turns: [], chars: head.line.length });

function imported({ head, turns }: Page): ImportedPage {
  const all = [head, ...turns];
  return {
    jsonl: all.map(({ line }) => `${line}\n`).join(''),
    numbers: all.map(({ number }) => number),
  };
}

/** The server counts the lines of a page; who reads the refusal looks for the line in a file. */
export function refusedPage(error: unknown, { numbers }: ImportedPage): unknown {
  if (!(error instanceof AppError)) return error;
  if (error.code === 'body_too_large') return tooLong(numbers.at(-1)!);
  const message = error.message.replace(
    /\bline (\d+)/,
    (words, at) => `line ${numbers[Number(at) - 1] ?? words}`,
  );
  const { cause, hint } = error;
  return new AppError(error.code, message, { cause, ...(hint !== null && { hint }) });
}

export const tooLong = (line: number) =>
  new AppError('body_too_large', `Line ${line} is longer than a server takes.`, {
    hint: 'Set "raw" of that line to null: what was said stays. The lines before it may be in already; a second time they add nothing.',
  });

/** As an export begins it. What is in it is looked at by the server. */
const aboutSession = /^\s*\{\s*"offshoot"\s*:\s*"session"/;

const notExported = (line: number) =>
  new AppError(
    'bad_request',
    line === 0 ? 'There is nothing to import.' : `Line ${line} is not how an export begins.`,
    { hint: 'Give what `offshoot export <session>` has printed.' },
  );
