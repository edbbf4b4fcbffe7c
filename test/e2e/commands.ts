/** The command line as a process of its own, as a user starts it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const binFile = fileURLToPath(new URL('../../bin/offshoot.mjs', import.meta.url));

export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Running {
  child: ChildProcess;
  stdout(): string;
  stderr(): string;
  ended: Promise<Ran>;
}

/** Who runs the tests may be an agent itself: nothing of its identity may get in. */
export function cleanEnv(more: Record<string, string> = {}): Record<string, string> {
  const foreign =
    /^(AGENT_SESSION_ID|CLAUDE_CODE_SESSION_ID|TEMPORAL_(ADDRESS|PROFILE|CONFIG_FILE))$/;
  const kept = Object.entries(process.env).filter(
    ([name, value]) => value !== undefined && !foreign.test(name) && !/^OFFSHOOT_(?!TE)/.test(name),
  );
  return { ...(Object.fromEntries(kept) as Record<string, string>), ...more };
}

export function startOffshoot(
  args: string[],
  options: { env: Record<string, string>; cwd?: string; input?: string },
): Running {
  const child = spawn(process.execPath, [binFile, ...args], {
    env: cleanEnv(options.env),
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdin.on('error', () => {});
  child.stdin.end(options.input ?? '');
  const ended = new Promise<Ran>((resolve) => {
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
  return { child, stdout: () => stdout, stderr: () => stderr, ended };
}

export const offshoot = (...given: Parameters<typeof startOffshoot>): Promise<Ran> =>
  startOffshoot(...given).ended;
