import type { Output } from './deps.ts';

/** What `--json` prints: the operation's own answer, nothing renamed. */
export function writeJson(out: Output, value: unknown): void {
  out.write(`${JSON.stringify(value, null, 2)}\n`);
}
