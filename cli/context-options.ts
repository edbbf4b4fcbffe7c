/** `--workspace`, `--file`, `--spec` and `--env` as the context of a sub-agent. */
import { isAbsolute, relative, resolve } from 'node:path';
import type { SessionContext } from '../client/index.ts';
import type { CliDeps } from './deps.ts';
import { usageError } from './report-error.ts';

export interface ContextOptions {
  workspace?: string;
  file?: string[];
  spec?: string;
  env?: string[];
}

export function contextOf(
  deps: Pick<CliDeps, 'cwd' | 'processEnvironment'>,
  options: ContextOptions,
): SessionContext {
  const workspacePath = resolve(deps.cwd, options.workspace ?? '.');
  return {
    workspacePath,
    ...(options.file ? { files: options.file.map((file) => insideOf(workspacePath, file)) } : {}),
    ...(options.spec === undefined ? {} : { specId: options.spec }),
    ...(options.env
      ? { env: Object.fromEntries(options.env.map((one) => variable(deps, one))) }
      : {}),
  };
}

/** Files are named within the workspace. Whether they are in it is for the server to judge. */
function insideOf(workspacePath: string, file: string): string {
  return isAbsolute(file) ? relative(workspacePath, file) : file;
}

/** `NAME=value`, or `NAME` alone for the value that it has here, so that a secret is in no command line. */
function variable(
  { processEnvironment }: Pick<CliDeps, 'processEnvironment'>,
  text: string,
): [string, string] {
  const [, name = text, value] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  const found = value ?? processEnvironment[name];
  if (found !== undefined) return [name, found];
  throw usageError(
    `--env ${name}: there is no variable of that name here.`,
    'Or give --env NAME=value.',
  );
}
