/** What real agent programs wrote, as test/fixtures/captures keeps it. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../fixtures/captures', import.meta.url));

/** `claude-code/hooks.jsonl` and its like. */
export const captureNames: readonly string[] = readdirSync(root).flatMap((program) =>
  readdirSync(`${root}/${program}`).map((file) => `${program}/${file}`),
);

export function readCapture(name: string): string {
  return readFileSync(`${root}/${name}`, 'utf8');
}

export function programOf(name: string): string {
  return name.slice(0, name.indexOf('/'));
}
