/** The built-in runner: a small agent of our own without a model. */
import { defaults } from '../contract/limits.ts';
import type { CommandRunner } from '../contract/run.ts';

export const demoRunnerId = 'demo';

export function demoRunner(entry: string): CommandRunner {
  return {
    id: demoRunnerId,
    kind: 'command',
    command: process.execPath,
    args: [entry],
    env: {},
    promptVia: 'stdin',
    result: 'text',
    resultPath: null,
    turns: true,
    onLost: 'fail',
    timeoutSeconds: defaults.turnTimeoutSeconds,
    builtIn: true,
  };
}
