import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { isOlder, oldestCli, parseVersion, type EngineVersion } from './versions.ts';

/** The version answers in 0.1 s; a cold disk may take longer to load 138 MB. */
const probeMs = 20_000;

export type Probe = { version: EngineVersion } | { refusal: string };

/** Whether this file is a Temporal CLI that we can use, or in words why not. */
export async function probeBinary(path: string): Promise<Probe> {
  try {
    await access(path, constants.X_OK);
  } catch {
    return { refusal: `${path} is missing or may not be executed` };
  }
  const { output, error } = await run(path);
  if (error !== null) return { refusal: `${path} --version failed: ${error}` };
  const version = parseVersion(output);
  if (version === null) {
    return {
      refusal: `${path} does not answer like a Temporal CLI: ${output.slice(0, 100).trim()}`,
    };
  }
  if (isOlder(version.cli, oldestCli)) {
    return { refusal: `${path} is version ${version.cli}, and ${oldestCli} or newer is needed` };
  }
  return { version };
}

function run(path: string): Promise<{ output: string; error: string | null }> {
  return new Promise((resolve) => {
    const options = { timeout: probeMs, killSignal: 'SIGKILL' as const };
    execFile(path, ['--version'], options, (error, stdout) => {
      resolve({ output: stdout, error: error === null ? null : error.message.trim() });
    });
  });
}
