/** Says on a terminal what is being waited for, once it takes longer than a second. */
import type { CliDeps } from './deps.ts';
import { formatDuration } from './render/duration.ts';
import { createStyle } from './render/style.ts';

const tellAfterMs = 1_000;
const clearLine = '\r\u001B[2K';

export async function withProgress<T>(
  { err, now }: Pick<CliDeps, 'err' | 'now'>,
  text: string,
  work: Promise<T>,
): Promise<T> {
  if (!err.isTerminal) return work;
  const style = createStyle(err.hasColor);
  const startedAt = now();
  let isShown = false;
  const timer = setInterval(() => {
    isShown = true;
    err.write(`${clearLine}${style.dim(`${text} ${formatDuration(now() - startedAt)}`)}`);
  }, tellAfterMs);
  try {
    return await work;
  } finally {
    clearInterval(timer);
    if (isShown) err.write(clearLine);
  }
}

/** A whole line, which stands above the text of what is being waited for. */
export function tellLine({ err }: Pick<CliDeps, 'err'>, line: string): void {
  err.write(`${err.isTerminal ? clearLine : ''}${line}\n`);
}
