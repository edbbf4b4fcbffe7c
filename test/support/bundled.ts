/**
 * A program of the sources in one file of JavaScript, for a process of its own: it is as fresh as the
 * sources are, and starts without a loader that would read and compile them in each process anew.
 */
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, stop, type Plugin } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** To be made once for each test file. */
export async function bundled(entry: string): Promise<string> {
  const folder = join(tmpdir(), 'bundled', String(process.pid));
  mkdirSync(folder, { recursive: true });
  linkPackages(folder);
  const outfile = join(folder, `${basename(entry, '.ts')}.mjs`);
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    plugins: [ownPlaces],
    logLevel: 'warning',
  });
  // It builds in a process of its own, which lives as long as ours; run alone, that is jest itself.
  await stop();
  return outfile;
}

/** Each source goes on finding what lies beside it. */
const ownPlaces: Plugin = {
  name: 'own places',
  setup: (builder) =>
    builder.onLoad({ filter: /\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll(
        'import.meta.url',
        JSON.stringify(pathToFileURL(path).href),
      ),
      loader: 'ts',
    })),
};

function linkPackages(folder: string): void {
  try {
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
