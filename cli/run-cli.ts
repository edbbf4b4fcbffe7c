/** One command line from its words to its exit code. */
import { CommanderError } from 'commander';
import type { Cli, CliDeps } from './deps.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import { createProgram } from './program.ts';
import { reportError } from './report-error.ts';

export async function runCli(deps: CliDeps, args: readonly string[]): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.ok;
  const action: Cli['action'] =
    (command) =>
    async (...given) => {
      exitCode = await command(deps, ...given);
    };
  try {
    await createProgram({ deps, action }).parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    // Commander has said what was wrong, or shown the help that was asked for.
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    }
    return reportError(deps, error, args.includes('--json'));
  }
}
