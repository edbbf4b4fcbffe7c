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

/** What one request takes: turns of one session, with the line about it before them. */
export async function* importedPages(lines: AsyncIterable<string>): AsyncGenerator<string, void> {
  let head: string | null = null;
  let page: string[] = [];
  let chars = 0;
  const whole = () => [head, ...page].map((line) => `${line}\n`).join('');
  let number = 0;
  for await (const line of lines) {
    number += 1;
    if (line.trim() === '') continue;
    const isHead = aboutSession.test(line);
    if (head === null && !isHead) throw notExported(number);
    if (head !== null && (isHead || (page.length > 0 && chars + line.length > importCharsMax))) {
      yield whole();
      [page, chars] = [[], 0];
    }
    if (isHead) head = line;
    else page.push(line);
    chars += line.length;
  }
  if (head === null) throw notExported(number);
  yield whole();
}

/** As an export begins it. What is in it is looked at by the server. */
const aboutSession = /^\s*\{\s*"offshoot"\s*:\s*"session"/;

const notExported = (line: number) =>
  new AppError(
    'bad_request',
    line === 0 ? 'There is nothing to import.' : `Line ${line} is not how an export begins.`,
    { hint: 'Give what `offshoot export <session>` has printed.' },
  );
