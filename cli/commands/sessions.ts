/** `sessions` and `context`: which sessions there are, and what one has inherited. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { connect } from '../connect.ts';
import type { Cli, CliDeps } from '../deps.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { nextPage } from '../next-page.ts';
import { agentOption, jsonOption, ofAgent, pointInTime, wholeNumber } from '../option-values.ts';
import { renderBlock } from '../render/context.ts';
import { renderSessions } from '../render/sessions.ts';
import { createStyle } from '../render/style.ts';
import { writeJson } from '../write-json.ts';

interface SessionsOptions {
  agent?: string;
  project?: string;
  harness?: string;
  since?: string;
  active?: boolean;
  limit?: number;
  cursor?: string;
  json?: boolean;
}

export function addSessionsCommands(program: Command, { deps, action }: Cli): void {
  program
    .command('sessions')
    .description('list the sessions of an agent, those active last first')
    .option('--agent <id>', 'of this agent (default: the one named "default")')
    .option('-p, --project <folder>', 'only those that work in this folder or below it')
    .option('--harness <name>', 'only of this agent program')
    .option(
      '--since <time>',
      'active then or later: a date, or an age such as 2h',
      pointInTime(deps.now),
    )
    .option(
      '--active',
      'only those that are claimed or at work: ours while something is open, others heard of lately',
    )
    .option('-n, --limit <count>', 'at most this many (default: 50)', wholeNumber)
    .option('--cursor <cursor>', 'go on where the last page ended')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      '\nSTATE is plugin or legacy (how its hooks come), bypassed, ended, managed (we run it) or free.\nOPEN counts its children that have not ended, WAITING the callbacks that it has not read.',
    )
    .action(action(sessions));
  program
    .command('context <session>')
    .description('show what a session was given of its parent, and what a child would be given')
    .addOption(agentOption())
    .addOption(jsonOption())
    .action(action(context));
}

async function sessions(
  deps: CliDeps,
  options: SessionsOptions,
  command: Command,
): Promise<ExitCode> {
  const { agent, project, json, active = false, ...rest } = options;
  const page = await connect(deps).call('listSessions', {
    ...rest,
    active,
    ...ofAgent(agent),
    ...(project !== undefined && { project: resolve(deps.cwd, project) }),
  });
  const { out, err } = deps;
  if (json) {
    writeJson(out, page);
    return exitCodes.ok;
  }
  const style = createStyle(out.hasColor);
  const width = out.isTerminal ? out.columns : Infinity;
  if (page.count === 0) err.write('There are none.\n');
  else out.write(renderSessions(page.sessions, { style, width, now: deps.now() }));
  if (page.nextCursor !== null) err.write(nextPage(command, page.nextCursor));
  return exitCodes.ok;
}

async function context(
  deps: CliDeps,
  key: string,
  { agent, json }: { agent?: string; json?: boolean },
): Promise<ExitCode> {
  const { out, err } = deps;
  const answer = await connect(deps).call('getContext', {
    key,
    ...ofAgent(agent),
  });
  if (json) {
    writeJson(out, answer);
    return exitCodes.ok;
  }
  const { inherited, offers } = answer;
  const style = createStyle(out.hasColor);
  const shown = [
    inherited && { title: `${key} was given`, block: inherited, givenAt: inherited.givenAt },
    offers && { title: `A child of ${key} would be given`, block: offers, givenAt: null },
  ].flatMap((one) => (one ? [renderBlock(one, style)] : []));
  out.write(shown.join('\n'));
  if (inherited === null) err.write(`${key} was given nothing.\n`);
  if (offers === null) err.write(`A child of ${key} would be given nothing.\n`);
  return exitCodes.ok;
}
