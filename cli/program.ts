/** Every command, in the order in which `--help` lists them. */
import { Command } from 'commander';
import { refuseFileAsHome } from '../launcher/make-home.ts';
import { addBackupCommands } from './commands/backup.ts';
import { addCallbacksCommand, addRunnersCommand } from './commands/callbacks.ts';
import { addCarryCommands } from './commands/carry.ts';
import { addConfigCommand } from './commands/config.ts';
import { addControlCommands } from './commands/control.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addEngineCommand } from './commands/engine.ts';
import { addGetCommands } from './commands/get.ts';
import { addHookCommand } from './commands/hook.ts';
import { addMcpCommand } from './commands/mcp.ts';
import { addRunCommands } from './commands/run.ts';
import { addSearchCommand } from './commands/search.ts';
import { addSessionsCommands } from './commands/sessions.ts';
import { addStackCommands } from './commands/stack.ts';
import { addTokenCommand } from './commands/token.ts';
import { addTranscriptCommands } from './commands/transcript.ts';
import { addWorkerCommand } from './commands/worker.ts';
import { addTreeCommand } from './commands/tree.ts';
import type { Cli } from './deps.ts';
import { exitCodeTable } from './exit-codes.ts';

export function createProgram(cli: Cli): Command {
  const { out, err, version } = cli.deps;
  // Subcommands take these settings over, so they come before the first of them.
  const program = new Command('offshoot')
    .description('Runs agents for agents, durably, and never loses an answer.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command...]', 'show help for a command')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => out.write(text),
      writeErr: (text) => err.write(text),
      getOutHelpWidth: () => Math.min(out.columns, 100),
      getErrHelpWidth: () => Math.min(err.columns, 100),
      getOutHasColors: () => out.hasColor,
      getErrHasColors: () => err.hasColor,
    })
    .addHelpText('after', `\n${exitCodeTable}`)
    .hook('preAction', () => refuseFileAsHome(cli.deps.home));
  const parts = [
    addStackCommands,
    addRunCommands,
    addGetCommands,
    addControlCommands,
    addTreeCommand,
    addTranscriptCommands,
    addSearchCommand,
    addSessionsCommands,
    addCarryCommands,
    addCallbacksCommand,
    addRunnersCommand,
    addConfigCommand,
    addDoctorCommand,
    addBackupCommands,
    addEngineCommand,
    addWorkerCommand,
    addTokenCommand,
    addMcpCommand,
    addHookCommand,
  ];
  for (const add of parts) add(program, cli);
  program
    .command('exit-codes')
    .description('show what the exit codes mean')
    .addHelpText('after', `\n${exitCodeTable}`)
    .action(() => out.write(exitCodeTable));
  return program;
}
