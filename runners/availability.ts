/** Whether a runner's program is there. It looks at files only: listing never executes anything. */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import type { CommandRunner } from '../contract/run.ts';
import { demoRunnerId } from './demo.ts';
import { unresolvedVariables, type HostEnvironment } from './environment.ts';

export interface Availability {
  available: boolean;
  reason: string | null;
}

export interface LookUp {
  /** `PATH` of the runner host. */
  path: string;
  /** The environment that runners take `${NAME}` from. */
  hostEnv: HostEnvironment;
  /** File of the built demo agent. */
  demoEntry: string;
}

export function availability(runner: CommandRunner, lookUp: LookUp): Availability {
  const program = programAvailability(runner, lookUp);
  if (!program.available) return program;
  const [unknown] = unresolvedVariables(runner.env, lookUp.hostEnv);
  if (unknown === undefined) return program;
  return missing(
    `\${${unknown.name}} in runners.${runner.id}.env.${unknown.variable} has no value`,
    `set ${unknown.name} where \`offshoot up\` is started, and start it again`,
  );
}

function programAvailability(runner: CommandRunner, lookUp: LookUp): Availability {
  const { command } = runner;
  if (runner.id === demoRunnerId && runner.args[0] === lookUp.demoEntry) {
    if (isFile(lookUp.demoEntry)) return { available: true, reason: null };
    return missing(`${lookUp.demoEntry} is not there`, 'build Offshoot with `npm run build`');
  }
  if (isAbsolute(command)) {
    if (isExecutable(command)) return { available: true, reason: null };
    return isFile(command)
      ? missing(`${command} is not executable`, `make it so with \`chmod +x ${command}\``)
      : missing(`${command} is not there`, `correct runners.${runner.id}.command`);
  }
  if (command.includes('/')) {
    return { available: true, reason: 'is looked for in the workspace of each run' };
  }
  const path = runner.env['PATH']?.replaceAll('${PATH}', lookUp.path) ?? lookUp.path;
  if (path.split(delimiter).some((folder) => folder !== '' && isExecutable(join(folder, command))))
    return { available: true, reason: null };
  return missing(
    `${command} is not on the PATH of the runner host`,
    `install it, or give runners.${runner.id}.command its absolute path (PATH is ${path})`,
  );
}

function missing(what: string, remedy: string): Availability {
  return { available: false, reason: `${what}: ${remedy}` };
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return isFile(path);
  } catch {
    return false;
  }
}
