/** `transcript` and `logs`: what was said, and what a program has written. */
import type { Command } from 'commander';
import type { Turn } from '../../contract/records.ts';
import type { SessionTurn } from '../../contract/transcripts.ts';
import { connect } from '../connect.ts';
import type { Cli, CliDeps, Output } from '../deps.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { isInvocationId, sessionOf } from '../named-session.ts';
import { agentOption, wholeNumber } from '../option-values.ts';
import { withProgress } from '../progress.ts';
import { turnsOfInvocation, turnsOfSession } from '../read-turns.ts';
import { createStyle } from '../render/style.ts';
import { renderOutput, renderTurn, saysSomething } from '../render/transcript.ts';
import { writeJson } from '../write-json.ts';

interface TranscriptOptions {
  follow?: boolean;
  after?: number;
  limit?: number;
  agent?: string;
  json?: boolean;
}

export function addTranscriptCommands(program: Command, { action }: Cli): void {
  program
    .command('transcript <session>')
    .description("show what was said in a session; also takes an invocation's id")
    .option('-f, --follow', 'go on with what is said from now on; with an id, until it has ended')
    .option('--after <seq>', 'only turns that came after this one, by its number (#)', wholeNumber)
    .option('-n, --limit <count>', 'at most this many (default: all)', wholeNumber)
    .addOption(agentOption())
    .option('--json', 'print the turns as JSON; with --follow one in a line')
    .action(action(transcript));
  program
    .command('logs <id>')
    .description('show what its program has written')
    .option('-f, --follow', 'go on until it has ended')
    .option('--after <seq>', 'only turns that came after this one, by its number (#)', wholeNumber)
    .option('--json', 'print the turns as JSON, one in a line')
    .action(action(logs));
}

async function transcript(
  deps: CliDeps,
  name: string,
  { agent, limit = Infinity, ...options }: TranscriptOptions,
): Promise<ExitCode> {
  const { follow, json } = options;
  const { out, err } = deps;
  const client = connect(deps);
  const turns = isInvocationId(name)
    ? turnsOfInvocation(client, name, options)
    : turnsOfSession(client, sessionOf(name, agent), options);
  const doing = follow ? 'waiting for what is said' : 'reading';
  const said = upTo(limit, untilFirst(deps, doing, json ? turns : withWords(turns)));
  if (json && !follow) {
    const all: Turn[] = [];
    for await (const turn of said) all.push(turn);
    writeJson(out, { turns: all });
    return exitCodes.ok;
  }
  const style = createStyle(out.hasColor);
  let isAny = limit === 0;
  for await (const turn of said) {
    isAny = true;
    out.write(json ? `${JSON.stringify(turn)}\n` : renderTurn(turn, style));
  }
  if (!isAny) {
    const { after = 0 } = options;
    err.write(`Nothing was said in it ${after === 0 ? '' : `after #${after} `}yet.\n`);
  }
  return exitCodes.ok;
}

/** In another order than they came the first of them is known when all are there. */
async function* untilFirst<T>(
  deps: CliDeps,
  doing: string,
  turns: AsyncGenerator<T, void>,
): AsyncGenerator<T, void> {
  try {
    const first = await withProgress(deps, doing, turns.next());
    if (!first.done) yield first.value;
    yield* turns;
  } finally {
    // Whoever has enough with the first leaves no stream open.
    await turns.return();
  }
}

/** A line of a program's transcript may be about something of which nobody says a word. */
async function* withWords(
  turns: AsyncIterable<Turn | SessionTurn>,
): AsyncGenerator<Turn | SessionTurn, void> {
  for await (const turn of turns) if (saysSomething(turn)) yield turn;
}

async function* upTo<T>(limit: number, turns: AsyncIterable<T>): AsyncGenerator<T, void> {
  let left = limit;
  if (left <= 0) return;
  for await (const turn of turns) {
    yield turn;
    left -= 1;
    if (left <= 0) return;
  }
}

async function logs(
  deps: CliDeps,
  id: string,
  { follow = false, after = 0, json }: { follow?: boolean; after?: number; json?: boolean },
): Promise<ExitCode> {
  const client = connect(deps);
  const print = (turn: Turn) =>
    json ? deps.out.write(`${JSON.stringify(turn)}\n`) : printOutput(deps, turn);
  for await (const turn of turnsOfInvocation(client, id, { after, follow })) print(turn);
  return exitCodes.ok;
}

/** The program's two streams stay two streams. */
function printOutput({ out, err }: CliDeps, turn: Turn): void {
  const to: Output = turn.role === 'stderr' || turn.role === 'mark' ? err : out;
  to.write(renderOutput(turn, createStyle(to.hasColor)));
}
