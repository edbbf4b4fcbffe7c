/** `get`, `list`, `wait`: what became of sub-agents. */
import type { Command } from 'commander';
import type { ExecutionMode, Status } from '../../contract/words.ts';
import { connect } from '../connect.ts';
import type { Cli, CliDeps } from '../deps.ts';
import { exitCodeOfStatus, exitCodes, type ExitCode } from '../exit-codes.ts';
import { followToEnd } from '../follow-to-end.ts';
import { nextPage } from '../next-page.ts';
import {
  jsonOption,
  modeOption,
  pointInTime,
  statusOption,
  waitOption,
  wholeNumber,
} from '../option-values.ts';
import { withProgress } from '../progress.ts';
import { renderList } from '../render/list.ts';
import { renderRecord } from '../render/record.ts';
import { createStyle } from '../render/style.ts';
import { writeJson } from '../write-json.ts';

interface ListOptions {
  runner?: string;
  status?: Status;
  mode?: ExecutionMode;
  spec?: string;
  parent?: string;
  root?: string;
  since?: string;
  until?: string;
  limit?: number;
  cursor?: string;
  json?: boolean;
}

export function addGetCommands(program: Command, { deps, action }: Cli): void {
  program
    .command('get <id>')
    .description('show one invocation: its state, its task and its answer')
    .addOption(jsonOption())
    .action(action(get));
  program
    .command('list')
    .description('list invocations, newest first')
    .option('-r, --runner <id>', 'only of this runner')
    .addOption(statusOption())
    .addOption(modeOption('only of this mode'))
    .option('--spec <id>', 'only for this spec')
    .option('-p, --parent <session>', 'only what this session asked for')
    .option('--root <session>', 'only what is in the tree of this session')
    .option(
      '--since <time>',
      'created then or later: a date, or an age such as 2h',
      pointInTime(deps.now),
    )
    .option('--until <time>', 'created before then', pointInTime(deps.now))
    .option('-n, --limit <count>', 'at most this many (default: 50)', wholeNumber)
    .option('--cursor <cursor>', 'go on where the last page ended')
    .addOption(jsonOption())
    .action(action(list));
  program
    .command('wait <ids...>')
    .description('wait until sub-agents have ended; of one, print its answer')
    .option('--any', 'until one of them has ended, instead of all')
    .addOption(waitOption())
    .addOption(jsonOption())
    .action(action(wait));
}

async function get(deps: CliDeps, id: string, { json }: { json?: boolean }): Promise<ExitCode> {
  const record = await connect(deps).call('getSubagent', { id });
  if (json) writeJson(deps.out, record);
  else deps.out.write(renderRecord(record, createStyle(deps.out.hasColor)));
  return exitCodes.ok;
}

async function list(deps: CliDeps, options: ListOptions, command: Command): Promise<ExitCode> {
  const { runner, mode, spec, parent, root, json, ...rest } = options;
  const filter = {
    ...{ runnerId: runner, executionMode: mode, specId: spec },
    ...{ parentSessionId: parent, rootSessionId: root },
  };
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  const page = await connect(deps).call('listSubagents', { ...rest, ...Object.fromEntries(given) });
  const { out, err } = deps;
  if (json) {
    writeJson(out, page);
    return exitCodes.ok;
  }
  if (page.items.length === 0) err.write('There are none.\n');
  else out.write(renderList(page.items, { ...look(deps), now: deps.now() }));
  if (page.nextCursor !== null) err.write(nextPage(command, page.nextCursor));
  return exitCodes.ok;
}

async function wait(
  deps: CliDeps,
  ids: string[],
  options: { any?: boolean; wait?: number; json?: boolean },
): Promise<ExitCode> {
  const client = connect(deps);
  const [id] = ids;
  if (ids.length === 1 && id !== undefined) {
    const record = await client.call('getSubagent', { id });
    const waitSeconds = options.wait ?? Infinity;
    const quietly = { isLive: false, isJson: options.json ?? false, isOwn: false };
    return followToEnd(deps, client, record, { waitSeconds, ...quietly });
  }
  const until = options.any ? ('any' as const) : ('all' as const);
  const limit = options.wait === undefined ? {} : { waitSeconds: options.wait };
  const work = client.call('waitSubagents', { ids, until, ...limit });
  const answer = await withProgress(deps, `${ids.length} sub-agents are running`, work);
  if (options.json) writeJson(deps.out, answer);
  else {
    const records = [...answer.done, ...answer.open];
    deps.out.write(renderList(records, { ...look(deps), now: deps.now() }));
  }
  const isOver = until === 'any' ? answer.done.length > 0 : answer.open.length === 0;
  if (!isOver) return exitCodes.stillRunning;
  const codes = answer.done.map(({ status }) => exitCodeOfStatus(status));
  return codes.every((code) => code === exitCodes.ok) ? exitCodes.ok : exitCodes.incomplete;
}

/** A pipe gets whole lines, whatever their length. */
function look({ out }: CliDeps) {
  return { style: createStyle(out.hasColor), width: out.isTerminal ? out.columns : Infinity };
}
