import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { buildBinary } from '../../engine/build-binary.ts';
import { withFolder } from '../support/folder.ts';
import { writeProgram } from './fake-programs.ts';

function depsWith(folder: string, script: string, lines: string[]) {
  writeProgram(join(folder, 'go'), script);
  const env = { PATH: `${folder}:${process.env['PATH']}` };
  const onProgress = (line: string) => void lines.push(line.replace(/\d+ s$/, 'N s'));
  return { env, path: folder, onProgress, tellEveryMs: 300 };
}

test('a build downloads first and compiles then, each counted, with the time it has taken', async () => {
  await withFolder(async (folder) => {
    const lines: string[] = [];
    const script = `if [ "$1" = mod ]; then
  for name in one two three; do
    echo "# get https://proxy.example/$name/@v/v1.mod: 200 OK (0.1s)" >&2
    echo "# get https://proxy.example/$name/@v/v1.zip: 200 OK (0.1s)" >&2
  done
else
  echo 'go: downloading a.example/late v1.0.0' >&2
  printf 'internal/cpu\nruntime\n' >&2
  sleep 1
  echo 'github.com/temporalio/cli/cmd/temporal' >&2
fi`;
    await buildBinary(depsWith(folder, script, lines), join(folder, 'temporal'));
    expect(lines[0]).toContain('building Temporal from source');
    expect(lines[1]).toBe('downloading modules: 3 modules, N s');
    expect(lines[2]).toBe('compiling: 2 packages, N s');
    expect(lines.at(-1)).toBe('compiling: 3 packages, N s');
  });
});

test('a step that fails says which it was and what Go said, without the downloads', async () => {
  await withFolder(async (folder) => {
    const script = `echo '# get https://proxy.example/one/@v/v1.mod' >&2
echo 'go: one@v1: no such host' >&2
exit 1`;
    const built = buildBinary(depsWith(folder, script, []), join(folder, 'temporal'));
    await expect(built).rejects.toThrow(
      /^go mod ended with exit code 1: go: one@v1: no such host$/,
    );
  });
});
