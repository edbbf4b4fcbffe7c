/** `run` and `send`: give an agent something to do. */
import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { limits } from '../../contract/limits.ts';
import type { ExecutionMode } from '../../contract/words.ts';
import { askingSession, connect } from '../connect.ts';
import { contextOf, type ContextOptions } from '../context-options.ts';
import type { Cli, CliDeps } from '../deps.ts';
import type { ExitCode } from '../exit-codes.ts';
import {
  agentOption,
  collectValues,
  jsonOption,
  modeOption,
  ofAgent,
  waitOption,
  wallSeconds,
  wholeNumberIn,
} from '../option-values.ts';
import { readPrompt, type PromptOptions } from '../prompt-input.ts';
import { startAndFollow } from '../start-and-follow.ts';

interface SpawnOptions extends PromptOptions {
  mode?: ExecutionMode;
  wait?: number;
  key?: string;
  parent?: string;
  quiet?: boolean;
  json?: boolean;
}
interface RunOptions extends SpawnOptions, ContextOptions {
  agent?: string;
  title?: string;
  detached?: boolean;
  maxDepth?: number;
  maxChildren?: number;
  wall?: number;
}

export function addRunCommands(program: Command, { action }: Cli): void {
  withSpawnOptions(
    program
      .command('run <runner> [prompt]')
      .description('run a sub-agent; the prompt is an argument, --prompt, a file or standard input')
      .addOption(modeOption('SYNC waits for the answer, the others do not (default: SYNC)'))
      .option('-t, --title <text>', 'a few words by which people know it again')
      .option('-C, --workspace <folder>', 'where it works (default: this folder)')
      .option(
        '-f, --file <path>',
        'a file of the workspace that matters; may be repeated',
        collectValues,
      )
      .option('--spec <id>', 'the spec that it works for')
      .option('-e, --env <name[=value]>', 'a variable for it; may be repeated', collectValues)
      .option('-d, --detached', "go on when the parent's work ends otherwise than completed")
      .option(
        '-p, --parent <session>',
        'session key of who asks (default: as the environment says)',
      )
      .addOption(agentOption('which agent it belongs to (default: that of who asks)'))
      .option(
        '--max-depth <n>',
        'how deep it may ask others in turn',
        wholeNumberIn(0, limits.depthMax),
      )
      .option(
        '--max-children <n>',
        'how many it may ask at a time',
        wholeNumberIn(0, limits.openChildrenMax),
      )
      .option('--wall <seconds>', 'end it after this long', wallSeconds),
  ).action(action(run));
  withSpawnOptions(
    program
      .command('send <id> [prompt]')
      .description("send a further message to a sub-agent's session: a new invocation on it")
      .addOption(modeOption('SYNC waits for the answer (default: ASYNC_POLL)')),
  ).action(action(send));
}

function withSpawnOptions(command: Command): Command {
  return command
    .option('--prompt <text>', 'the prompt')
    .option('--prompt-file <file>', 'a file with the prompt')
    .addOption(waitOption('SYNC: wait at most this long, then exit with 6'))
    .option('-k, --key <key>', 'idempotency key: the same key twice is one sub-agent')
    .option('-q, --quiet', 'do not show live output')
    .addOption(jsonOption());
}

async function run(
  deps: CliDeps,
  runnerId: string,
  argument: string | undefined,
  options: RunOptions,
): Promise<ExitCode> {
  const prompt = await readPrompt(deps, argument, options);
  const context = contextOf(deps, options);
  const client = connect(deps);
  const parentSessionId = await askingSession(deps, client, options);
  const executionMode = options.mode ?? 'SYNC';
  const input = {
    ...{ runnerId, prompt, executionMode, context },
    ...(options.title === undefined ? {} : { title: options.title }),
    ...(options.detached ? { detached: true } : {}),
    ...ofAgent(options.agent),
    limits: limitsOf(options),
  };
  const call = { idempotencyKey: options.key ?? randomUUID(), parentSessionId };
  return startAndFollow(deps, client, { ...options, executionMode }, call, (first, callOptions) =>
    client.call('runSubagent', { ...input, ...first }, callOptions),
  );
}

async function send(
  deps: CliDeps,
  id: string,
  argument: string | undefined,
  options: SpawnOptions,
): Promise<ExitCode> {
  const prompt = await readPrompt(deps, argument, options);
  const client = connect(deps);
  const executionMode = options.mode ?? 'ASYNC_POLL';
  const parentSessionId = await askingSession(deps, client, {});
  const call = { idempotencyKey: options.key ?? randomUUID(), parentSessionId };
  return startAndFollow(deps, client, { ...options, executionMode }, call, (first, callOptions) =>
    client.call('sendToSubagent', { id, prompt, executionMode, ...first }, callOptions),
  );
}

function limitsOf({ maxDepth, maxChildren, wall }: RunOptions) {
  return {
    ...(maxDepth === undefined ? {} : { maxDepth }),
    ...(maxChildren === undefined ? {} : { maxChildren }),
    ...(wall === undefined ? {} : { wallSeconds: wall }),
  };
}
