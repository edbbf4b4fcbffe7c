/** The hook command starts anew at every prompt: what it loads is what the user waits for. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const root = fileURLToPath(new URL('../..', import.meta.url));

test('the hook command loads a few files of ours, no package, and of Node only what it needs', () => {
  const ours = new Set<string>();
  const others = new Set<string>();
  const visit = (file: string) => {
    if (ours.has(file)) return;
    ours.add(file);
    for (const from of importsOf(readFileSync(join(root, file), 'utf8'))) {
      if (from.startsWith('.')) visit(join(dirname(file), from));
      else others.add(from);
    }
  };
  visit('cli/hook/main.ts');
  // With the program's own three files; those of the other programs and of the spool's sender are loaded when needed.
  expect(ours.size).toBeLessThanOrEqual(17);
  expect([...others].toSorted()).toEqual(['node:crypto', 'node:fs', 'node:os', 'node:path']);
});

/** Types are gone before anything runs. */
function importsOf(text: string): string[] {
  const statements = text.matchAll(/^(?:import|export) (?!type )[^;]*?from '([^']+)';/gm);
  return [...statements].flatMap(([, from]) => from ?? []);
}
