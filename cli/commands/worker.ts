/** `worker` and `worker token`: runner hosts on other machines. */
import { spawn } from 'node:child_process';
import type { Command } from 'commander';
import { connect } from '../connect.ts';
import type { Cli, CliDeps } from '../deps.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { jsonOption, slots, serverUrl } from '../option-values.ts';
import { usageError } from '../report-error.ts';
import { writeJson } from '../write-json.ts';

interface WorkerOptions {
  server?: string;
  tokenFile?: string;
  name?: string;
  slots?: number;
}

export function addWorkerCommand(program: Command, { action }: Cli): void {
  const worker = program
    .command('worker')
    .description('run agents on this machine for a server on another one, until it is stopped')
    .option('--server <url>', 'the server, as this machine reaches it', serverUrl)
    .option('--token-file <file>', 'a file that only you can read (else: OFFSHOOT_TOKEN)')
    .option('--name <id>', 'the name that the token was made for, to be sure')
    .option('--slots <count>', 'agents at work at a time (default: limits.slots here)', slots)
    .action(action(work));
  worker
    .command('token <name>')
    .description('where the server runs: make the token of a runner host, which replaces its last')
    .option('--revoke', 'take its token away instead')
    .addOption(jsonOption())
    .action(action(token));
}

/** The host is a process of its own: it owns its agents, and ends them in order when it is told to. */
async function work(deps: CliDeps, options: WorkerOptions): Promise<ExitCode> {
  const { childEnvironment } = await import('../../launcher/child-environment.ts');
  const { entryFile } = await import('../../launcher/entry.ts');
  const { tokenFile, name } = options;
  if (options.server === undefined) {
    throw usageError('No server was named.', 'offshoot worker --server http://<address>:<port>');
  }
  const args = [
    ...[entryFile('worker'), '--server', options.server],
    ...(tokenFile === undefined ? [] : ['--token-file', tokenFile]),
    ...(name === undefined ? [] : ['--name', name]),
    ...(options.slots === undefined ? [] : ['--slots', String(options.slots)]),
  ];
  const { token: given } = deps.environment;
  const env = {
    ...childEnvironment(deps.processEnvironment, deps.home),
    ...(tokenFile === undefined && given !== null ? { OFFSHOOT_TOKEN: given } : {}),
  };
  // The channel is how it hears that this process was killed.
  const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const;
  const child = spawn(process.execPath, args, { env, stdio: [...stdio] });
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGCONT'] as const;
  const passOn = (signal: NodeJS.Signals) => void child.kill(signal);
  for (const signal of signals) process.on(signal, passOn);
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  for (const signal of signals) process.off(signal, passOn);
  return Object.values(exitCodes).find((known) => known === code) ?? exitCodes.incomplete;
}

async function token(
  deps: CliDeps,
  hostId: string,
  { revoke, json }: { revoke?: boolean; json?: boolean },
): Promise<ExitCode> {
  const client = connect(deps);
  const { out, err } = deps;
  if (revoke) {
    const answer = await client.call('revokeHostToken', { hostId });
    if (json) writeJson(out, answer);
    else out.write(`Revoked: ${hostId} ends its agents when its lease is over.\n`);
    return exitCodes.ok;
  }
  const answer = await client.call('issueHostToken', { hostId });
  if (json) writeJson(out, answer);
  else {
    out.write(`${answer.token}\n`);
    err.write(`Keep it on ${hostId} in a file with mode 0600. It is not shown again.\n`);
  }
  return exitCodes.ok;
}
