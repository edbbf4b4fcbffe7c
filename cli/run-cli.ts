/** One command line from its words to its exit code. */
import { CommanderError, type Command } from 'commander';
import { askedHelp } from './asked-help.ts';
import type { Cli, CliDeps } from './deps.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import { createProgram } from './program.ts';
import { reportError, usageError } from './report-error.ts';

export async function runCli(deps: CliDeps, given: readonly string[]): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.ok;
  const action: Cli['action'] =
    (command) =>
    async (...words) => {
      exitCode = await command(deps, ...words);
    };
  const isJson = given.includes('--json');
  const program = createProgram({ deps: isJson ? withoutWords(deps) : deps, action });
  const args = askedHelp(program, given);
  const { command, help } = commandOf(program, args);
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) return reportError(deps, error, isJson, help, command);
    // Commander has said what was wrong, or shown the help that was asked for.
    if (error.exitCode === 0) return exitCodes.ok;
    if (isJson) return reportError(deps, usageError(messageOf(error)), isJson, help);
    if (error.code !== 'commander.help') deps.err.write(`(${help})\n`);
    return exitCodes.usage;
  }
}

/** Commander's words on standard error are for a person. */
const withoutWords = (deps: CliDeps): CliDeps => ({
  ...deps,
  err: { ...deps.err, write: () => undefined },
});

/** A command that is one of several was left out: then Commander shows the help, and has no message. */
function messageOf({ code, message }: CommanderError): string {
  return code === 'commander.help' ? 'A command is missing.' : message.replace(/^error: /, '');
}

function commandOf(program: Command, args: readonly string[]): { command: Command; help: string } {
  const words = [program.name()];
  let command = program;
  for (const arg of args) {
    const next = command.commands.find((one) => one.name() === arg);
    if (!next) break;
    command = next;
    words.push(arg);
  }
  const shows = words.length === 1 ? 'the commands' : 'how it is called';
  return { command, help: `${words.join(' ')} --help shows ${shows}` };
}
