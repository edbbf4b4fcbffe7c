import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { pinnedCli } from './versions.ts';

/** Holds go.mod and go.sum: this folder, in the sources and in `dist/` alike. */
const moduleFolder = fileURLToPath(new URL('.', import.meta.url));
const command = 'github.com/temporalio/cli/cmd/temporal';
/** Without it the binary calls itself 0.0.0-DEV, and our own version check refuses it. */
const versionFlag = `-X github.com/temporalio/cli/internal/temporalcli.Version=${pinnedCli}`;
/** Often enough to be seen alive, seldom enough for a log. */
const tellEveryMs = 15_000;
/** Far more than the slowest machine needs, so that a build that hangs ends some day. */
const buildMsMax = 60 * 60_000;
const tailCharsMax = 2_000;

export interface BuildDeps {
  /** The environment of the Go tool: it has settings of its own for proxies and caches. */
  env: Record<string, string | undefined>;
  path: string;
  onProgress: (line: string) => void;
  /** Tests are less patient. */
  tellEveryMs?: number;
  signal?: AbortSignal;
}

/** Compiles the module that is pinned in go.mod and leaves its binary at `target`. */
export async function buildBinary(deps: BuildDeps, target: string): Promise<void> {
  const go = findOnPath(deps.path, 'go');
  if (go === null) throw new Error('there is no Go compiler (`go`) on PATH');
  deps.onProgress('building Temporal from source: about 1 minute of downloads and 4 of compiling');
  await run(deps, go, {
    args: ['mod', 'download', '-x'],
    title: 'downloading modules',
    counted: /^# get \S+\.zip: 200\b/,
    unit: 'modules',
  });
  await run(deps, go, {
    args: ['build', '-o', target, '-v', '-trimpath', '-ldflags', `-s -w ${versionFlag}`, command],
    title: 'compiling',
    // With -v each package is a line when it is taken on; what the Go tool itself says begins with `go:`.
    counted: /^(?!go: )[\w.~-]+(\/[\w.~-]+)*$/,
    unit: 'packages',
  });
}

interface GoStep {
  args: string[];
  title: string;
  /** Lines of its standard error that stand for one thing done. */
  counted: RegExp;
  unit: string;
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

function run(deps: BuildDeps, go: string, step: GoStep): Promise<void> {
  return new Promise((resolve, reject) => {
    const started = Date.now();
    const child = spawn(go, step.args, {
      cwd: moduleFolder,
      env: deps.env,
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: buildMsMax,
      ...(deps.signal && { signal: deps.signal }),
    });
    let done = 0;
    let tail = '';
    const lines = createInterface({ input: child.stderr });
    lines.on('line', (line) => {
      if (step.counted.test(line)) done += 1;
      else if (!line.startsWith('# get ')) tail = `${tail}${line}\n`.slice(-tailCharsMax);
    });
    const tell = () => {
      const seconds = Math.round((Date.now() - started) / 1000);
      deps.onProgress(`${step.title}: ${done} ${step.unit}, ${seconds} s`);
    };
    const timer = setInterval(tell, deps.tellEveryMs ?? tellEveryMs);
    child.on('error', (error) => {
      clearInterval(timer);
      reject(error);
    });
    child.on('close', (code) => {
      clearInterval(timer);
      const what = `go ${step.args[0]}`;
      if (code !== 0) reject(new Error(`${what} ended with exit code ${code}: ${tail.trim()}`));
      else {
        // The sum, and that the next step begins.
        if (done > 0) tell();
        resolve();
      }
    });
  });
}
