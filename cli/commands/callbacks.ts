/** `callbacks` and `runners`. */
import type { Command } from 'commander';
import type { OperationOutput } from '../../contract/operations.ts';
import { connect, ownSession } from '../connect.ts';
import type { Cli, CliDeps } from '../deps.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { commandAgain } from '../next-page.ts';
import { namedSession, sessionOf } from '../named-session.ts';
import { agentOption, jsonOption } from '../option-values.ts';
import { renderRunners } from '../render/list.ts';
import { plainText } from '../../domain/plain-text.ts';
import { createStyle } from '../render/style.ts';
import { usageError } from '../report-error.ts';
import { writeJson } from '../write-json.ts';

const states = ['open', 'queued', 'handed', 'delivered', 'undelivered', 'all'] as const;

interface CallbackOptions {
  status?: (typeof states)[number];
  ack?: boolean;
  agent?: string;
  json?: boolean;
}

export function addCallbacksCommand(program: Command, { action }: Cli): void {
  program
    .command('callbacks [session]')
    .description(
      "show the answers that were sent to a session (default: your own); also takes an invocation's id",
    )
    .addOption(
      program
        .createOption('-s, --status <state>', 'open means not delivered yet (default: open)')
        .choices(states),
    )
    .option('--ack', 'say that those shown have been read')
    .addOption(agentOption())
    .addOption(jsonOption())
    .action(action(callbacks));
}

export function addRunnersCommand(program: Command, { action }: Cli): void {
  program
    .command('runners')
    .description('list the runners that can be named, and what keeps them from running')
    .addOption(jsonOption())
    .action(action(runners));
}

async function callbacks(
  deps: CliDeps,
  session: string | undefined,
  { status = 'open', ack, agent, json }: CallbackOptions,
  command: Command,
): Promise<ExitCode> {
  const client = connect(deps);
  const name = session ?? (await ownSession(deps, client, agent));
  if (name === null) {
    throw usageError(
      'Nothing says which session is meant.',
      'Name its key: `offshoot sessions` shows them.',
    );
  }
  const named =
    session === undefined ? sessionOf(name, agent) : await namedSession(client, name, agent);
  const answer = await client.call('getCallbacks', { ...named, status });
  const { out, err } = deps;
  if (json) writeJson(out, answer);
  else if (answer.callbacks.length === 0) err.write('There are none.\n');
  else {
    const texts = answer.callbacks.map(({ envelope }) => envelope.trimEnd());
    // Those that a run is reading are its own to acknowledge.
    const isNew = answer.callbacks.some(
      ({ state }) => state === 'queued' || state === 'undelivered',
    );
    out.write(`${texts.map((text) => (out.isTerminal ? plainText(text) : text)).join('\n\n')}\n`);
    // They are told again until then; a script that reads them knows what it does.
    if (isNew && !ack && err.isTerminal) {
      err.write(`\nOnce they are read: ${commandAgain(command, { ack: true })}\n`);
    }
  }
  if (answer.remaining > 0 && !json) {
    err.write(`${answer.remaining} more come after these: ${restOf(answer, named.key, status)}\n`);
  }
  // Only after they were shown: what is acknowledged is not told again.
  const ids = answer.callbacks.map(({ id }) => id);
  if (ack && ids.length > 0) await client.call('ackCallbacks', { ...named, ids });
  return exitCodes.ok;
}

/** Acknowledged ones give way to the next, but not where those are asked for, too. */
function restOf(
  { callbacks: shown }: OperationOutput<'getCallbacks'>,
  key: string,
  status: (typeof states)[number],
): string {
  const giveWay = ['open', 'queued', 'undelivered'].includes(status);
  if (giveWay) return 'acknowledge them (--ack), then ask again.';
  const after = shown.at(-1)?.id ?? '';
  return `GET /api/sessions/${encodeURIComponent(key)}/callbacks?status=${status}&after=${after}`;
}

async function runners(deps: CliDeps, { json }: { json?: boolean }): Promise<ExitCode> {
  const { out } = deps;
  const answer = await connect(deps).call('listRunners', {});
  if (json) writeJson(out, answer);
  else {
    const width = out.isTerminal ? out.columns : Infinity;
    out.write(renderRunners(answer.runners, { style: createStyle(out.hasColor), width }));
  }
  return exitCodes.ok;
}
