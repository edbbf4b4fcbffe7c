/** Which runners there are, and the one way in which all of them are run. */
import { commandRunner, type Config } from '../contract/config.ts';
import type { RunnerInfo } from '../contract/system-records.ts';
import type { CommandRunner } from '../contract/run.ts';
import { availability, type LookUp } from './availability.ts';
import { demoRunner, demoRunnerId } from './demo.ts';

export { runCommand } from './command.ts';
export type { RunIo } from './command.ts';
export { demoRunner } from './demo.ts';
export { sweepLeftRuns } from './left-runs.ts';

export function findRunner(config: Config, id: string, lookUp: LookUp): CommandRunner | null {
  return allRunners(config, lookUp).find((runner) => runner.id === id) ?? null;
}

/** The built-in one first, then the configured. Nothing is executed to find out. */
export function listRunners(config: Config, lookUp: LookUp): RunnerInfo[] {
  return allRunners(config, lookUp).map((runner) => ({
    id: runner.id,
    kind: runner.kind,
    command: runner.command,
    turns: runner.turns,
    onLost: runner.onLost,
    ...availability(runner, lookUp),
  }));
}

/** A configured runner of the built-in's name takes its place. */
function allRunners(config: Config, lookUp: LookUp): CommandRunner[] {
  const configured = Object.entries(config.runners).map(([id, entry]) => commandRunner(id, entry));
  const own = configured.find((runner) => runner.id === demoRunnerId);
  const others = configured.filter((runner) => runner !== own);
  return [own ?? demoRunner(lookUp.demoEntry), ...others];
}
