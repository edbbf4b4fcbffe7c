/** The hook command starts anew at every prompt: what it loads is what the user waits for. */
import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from '@jest/globals';
import { build, stop } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** It builds in a process of its own, which lives as long as ours; run alone, that is jest itself. */
afterAll(() => stop());

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
  expect(ours.size).toBeLessThanOrEqual(20);
  expect([...others].toSorted()).toEqual(['node:crypto', 'node:fs', 'node:os', 'node:path']);
});

test('the file that runs has all of it in it, what is loaded later too, and nothing of a package', async () => {
  const { metafile, outputFiles } = await build({
    entryPoints: [join(root, 'cli/hook/main.ts')],
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    format: 'esm',
    metafile: true,
    write: false,
    outdir: 'dist',
  });
  expect(outputFiles.length).toBe(1);
  expect(outputFiles[0]!.contents.length).toBeLessThan(64 * 1024);
  const files = Object.keys(metafile.inputs);
  expect(files.filter((file) => file.startsWith('harnesses/')).length).toBeGreaterThan(6);
  expect(files.filter((file) => file.includes('node_modules'))).toEqual([]);
  const left = Object.values(metafile.outputs).flatMap(({ imports }) => imports);
  expect(left.filter(({ path }) => !isBuiltin(path))).toEqual([]);
});

/** Types are gone before anything runs. */
function importsOf(text: string): string[] {
  const statements = text.matchAll(/^(?:import|export) (?!type )[^;]*?from '([^']+)';/gm);
  return [...statements].flatMap(([, from]) => from ?? []);
}
