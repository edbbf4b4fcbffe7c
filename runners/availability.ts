/** Whether a runner's program is there. It looks at files only: listing never executes anything. */
import { accessSync, constants, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { CommandRunner } from '../contract/run.ts';
import { demoRunnerId } from './demo.ts';
import { unresolvedVariables, type HostEnvironment } from './environment.ts';
import { foldersOf, namePath } from './name-path.ts';

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

/** Every reason at once: whoever mends one should not meet the next. */
export function availability(runner: CommandRunner, lookUp: LookUp): Availability {
  const program = programAvailability(runner, lookUp);
  const ofEnv = withoutValue(runner, lookUp.hostEnv);
  if (ofEnv === null) return program;
  return program.available ? ofEnv : missing(`${program.reason}; ${ofEnv.reason}`);
}

function withoutValue({ id, env }: CommandRunner, hostEnv: HostEnvironment): Availability | null {
  const unknown = unresolvedVariables(env, hostEnv);
  if (unknown.length === 0) return null;
  const said = unknown.map(({ name, variable }) => `\${${name}} in runners.${id}.env.${variable}`);
  const places = [...new Set(said)];
  const names = [...new Set(unknown.map(({ name }) => name))].join(', ');
  return missing(
    `${places.join(', ')} ${places.length === 1 ? 'has' : 'have'} no value: ` +
      `set ${names} where \`offshoot up\` is started, and start it again`,
  );
}

function programAvailability(runner: CommandRunner, lookUp: LookUp): Availability {
  const { id, command } = runner;
  if (id === demoRunnerId && runner.args[0] === lookUp.demoEntry) {
    if (isFile(lookUp.demoEntry)) return { available: true, reason: null };
    return missing(`${lookUp.demoEntry} is not there: build Offshoot with \`npm run build\``);
  }
  if (isAbsolute(command)) {
    if (isExecutable(command)) return { available: true, reason: null };
    return isFile(command)
      ? missing(`${command} is not executable: make it so with \`chmod +x ${command}\``)
      : missing(`${command} is not there: correct runners.${id}.command`);
  }
  if (command.includes('/')) {
    return { available: true, reason: 'is looked for in the workspace of each run' };
  }
  return onPath(runner, lookUp.path);
}

function onPath({ id, command, env }: CommandRunner, hostPath: string): Availability {
  const path = env['PATH']?.replaceAll('${PATH}', hostPath) ?? hostPath;
  if (foldersOf(path).some((folder) => isExecutable(join(folder, command)))) {
    return { available: true, reason: null };
  }
  const where =
    env['PATH'] === undefined
      ? namePath(
          { path, from: 'host', runnerId: id },
          '; `echo $PATH` where `offshoot up` is started shows them',
        )
      : namePath({ path, from: 'runner', runnerId: id });
  return missing(
    `${command} is not on ${where}: install it, or give runners.${id}.command its absolute path`,
  );
}

/** What is wrong, a colon, what to do. */
function missing(reason: string): Availability {
  return { available: false, reason };
}

/** Nothing is below a file, or behind a folder that may not be entered; and what is replaced just now may be gone. */
function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return isFile(path);
  } catch {
    return false;
  }
}
