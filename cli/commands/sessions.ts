/** `sessions` and `context`: which sessions there are, and what one has inherited. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { OffshootClient } from '../../client/index.ts';
import { oneLine } from '../../domain/plain-text.ts';
import { defaults } from '../../contract/limits.ts';
import { connect } from '../connect.ts';
import type { Cli, CliDeps } from '../deps.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { namedSession } from '../named-session.ts';
import { commandAgain, forShell, nextPage } from '../next-page.ts';
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
    .option('--agent <id>', 'of this agent (default: that of the token, else "default")')
    .option('-p, --project <folder>', 'only those that work in this folder or below it')
    .option('--harness <name>', 'only of this agent program')
    .option(
      '--since <time>',
      'active then or later: a date, or an age such as 2h',
      pointInTime(deps.now),
    )
    .option('--active', 'only those that are active')
    .option('-n, --limit <count>', 'at most this many (default: 50)', wholeNumber)
    .option('--cursor <cursor>', 'go on where the last page ended')
    .addOption(jsonOption())
    .addHelpText('after', `\n${columnWords}`)
    .action(action(sessions));
  program
    .command('context <session>')
    .description(
      "show what a session was given of its parent, and what a child would be given; also takes an invocation's id",
    )
    .addOption(agentOption())
    .addOption(jsonOption())
    .action(action(context));
}

const columnWords = `TITLE    what it was called, else how its first prompt begins
STATE    active    something that Offshoot runs is open on it, or its program
                   was heard of in the last four hours
         idle      neither of these
         ended     its program has said that it is over
         bypassed  hooks do nothing for it
OPEN     how many of its children are active
WAITING  callbacks that it has not read: offshoot callbacks <session>
HOOKS    how they come: plugin (a plugin in the program sends them) or legacy
         (the program's hook commands do). The other way is refused meanwhile.

A terminal that is too narrow gets keys that are cut in the middle, and not all
columns. A pipe gets everything, and so does --json.
`;

async function sessions(
  deps: CliDeps,
  options: SessionsOptions,
  command: Command,
): Promise<ExitCode> {
  const { agent, project, json, active = false, ...rest } = options;
  const client = connect(deps);
  const page = await client.call('listSessions', {
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
  if (page.count === 0) {
    err.write(await nothingFound(deps, client, command));
    return exitCodes.ok;
  }
  const table = renderSessions(page.sessions, { style, width, now: deps.now() });
  out.write(table);
  const isCut = page.sessions.some(({ key }) => !table.includes(oneLine(key)));
  if (isCut) err.write(`Whole keys: ${commandAgain(command)} | cat\n`);
  if (page.nextCursor !== null) err.write(nextPage(command, page.nextCursor));
  return exitCodes.ok;
}

/** A list is of one agent: whoever may read all of them, and sees nothing, is told of another's. */
async function nothingFound(
  { environment }: CliDeps,
  client: OffshootClient,
  command: Command,
): Promise<string> {
  const { agent, json: _, limit: _limit, ...filters } = command.opts<SessionsOptions>();
  const listOf = (id?: string) =>
    `offshoot sessions${id === undefined ? '' : ` --agent ${forShell(id)}`}`;
  if (Object.keys(filters).length > 0) return `There are none. Without filters: ${listOf(agent)}\n`;
  if (environment.token !== null) return 'There are none.\n';
  const { agents } = await client.call('getPresence', {});
  const asked = agent ?? defaults.agentId;
  const [other] = agents.flatMap(({ agentId }) => (agentId === asked ? [] : [agentId]));
  return other === undefined
    ? 'There are none. How agent programs report theirs: offshoot help hook\n'
    : `There are none of agent ${asked}. Of another one: ${listOf(other)}\n`;
}

async function context(
  deps: CliDeps,
  name: string,
  { agent, json }: { agent?: string; json?: boolean },
): Promise<ExitCode> {
  const { out, err } = deps;
  const client = connect(deps);
  const answer = await client.call('getContext', await namedSession(client, name, agent));
  if (json) {
    writeJson(out, answer);
    return exitCodes.ok;
  }
  const { inherited, offers, sessionKey: key } = answer;
  const style = createStyle(out.hasColor);
  const shown = [
    inherited && { title: `${key} was given`, block: inherited, givenAt: inherited.givenAt },
    offers && { title: `A child of ${key} would be given`, block: offers, givenAt: null },
  ].flatMap((one) => (one ? [renderBlock(one, style)] : []));
  // Before the text, at whose end it would look like a part of it.
  if (inherited === null) err.write(`${key} was given nothing.\n`);
  if (offers === null) err.write(`A child of ${key} would be given nothing.\n`);
  out.write(shown.join('\n'));
  return exitCodes.ok;
}
