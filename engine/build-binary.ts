import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pinnedCli } from './versions.ts';

/** Holds go.mod and go.sum: this folder, in the sources and in `dist/` alike. */
const moduleFolder = fileURLToPath(new URL('.', import.meta.url));
const command = 'github.com/temporalio/cli/cmd/temporal';
/** Without it the binary calls itself 0.0.0-DEV, and our own version check refuses it. */
const versionFlag = `-X github.com/temporalio/cli/internal/temporalcli.Version=${pinnedCli}`;
const tellEveryMs = 5_000;
/** Far more than the slowest machine needs, so that a build that hangs ends some day. */
const buildMsMax = 60 * 60_000;
const tailCharsMax = 2_000;

export interface BuildDeps {
  /** The environment of the Go tool: it has settings of its own for proxies and caches. */
  env: Record<string, string | undefined>;
  path: string;
  onProgress: (line: string) => void;
  signal?: AbortSignal;
}

/** Compiles the module that is pinned in go.mod and leaves its binary at `target`. */
export async function buildBinary(deps: BuildDeps, target: string): Promise<void> {
  const go = findOnPath(deps.path, 'go');
  if (go === null) throw new Error('there is no Go compiler (`go`) on PATH');
  deps.onProgress('building Temporal from source: about 1 minute of downloads and 4 of compiling');
  const flags = ['-trimpath', '-ldflags', `-s -w ${versionFlag}`];
  await run(deps, go, ['build', '-o', target, ...flags, command]);
}

export function findOnPath(path: string, name: string): string | null {
  for (const folder of path.split(delimiter).filter((entry) => entry !== '')) {
    const file = join(folder, name);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // Not in this folder.
    }
  }
  return null;
}

function run(deps: BuildDeps, go: string, args: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const started = Date.now();
    const child = spawn(go, args, {
      cwd: moduleFolder,
      env: deps.env,
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: buildMsMax,
      ...(deps.signal && { signal: deps.signal }),
    });
    let tail = '';
    child.stderr.on('data', (chunk: Buffer) => {
      tail = (tail + chunk.toString()).slice(-tailCharsMax);
    });
    const timer = setInterval(() => {
      const seconds = Math.round((Date.now() - started) / 1000);
      const last = tail.trimEnd().split('\n').at(-1) ?? '';
      const phase = last.startsWith('go: downloading') ? 'downloading modules' : 'compiling';
      deps.onProgress(`${phase}: ${seconds} s of about 300`);
    }, tellEveryMs);
    child.on('error', (error) => {
      clearInterval(timer);
      reject(error);
    });
    child.on('close', (code) => {
      clearInterval(timer);
      if (code === 0) resolve();
      else reject(new Error(`go build ended with exit code ${code}: ${tail.trim()}`));
    });
  });
}
