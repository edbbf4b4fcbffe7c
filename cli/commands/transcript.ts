/** `transcript` and `logs`: what was said, and what a program has written. */
import type { Command } from 'commander';
import type { OffshootClient } from '../../client/index.ts';
import type { OperationOutput } from '../../contract/operations.ts';
import type { Turn } from '../../contract/records.ts';
import { connect } from '../connect.ts';
import type { Cli, CliDeps, Output } from '../deps.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { jsonOption, wholeNumber } from '../option-values.ts';
import { createStyle } from '../render/style.ts';
import { renderOutput, renderTurn } from '../render/transcript.ts';
import { writeJson } from '../write-json.ts';

export function addTranscriptCommands(program: Command, { action }: Cli): void {
  program
    .command('transcript <id>')
    .description("show the turns of an invocation's session")
    .option('--after <seq>', 'only turns after this one', wholeNumber)
    .option('-n, --limit <count>', 'at most this many (default: all)', wholeNumber)
    .addOption(jsonOption())
    .action(action(transcript));
  program
    .command('logs <id>')
    .description('show what its program has written')
    .option('-f, --follow', 'go on until it has ended')
    .option('--after <seq>', 'only turns after this one', wholeNumber)
    .option('--json', 'print the turns as JSON, one in a line')
    .action(action(logs));
}

async function transcript(
  deps: CliDeps,
  id: string,
  { after = 0, limit = Infinity, json }: { after?: number; limit?: number; json?: boolean },
): Promise<ExitCode> {
  const client = connect(deps);
  const turns: Turn[] = [];
  let left = limit;
  for await (const page of pages(client, id, after)) {
    const wanted = page.slice(0, left);
    left -= wanted.length;
    if (json) turns.push(...wanted);
    else
      for (const turn of wanted) deps.out.write(renderTurn(turn, createStyle(deps.out.hasColor)));
    if (left <= 0) break;
  }
  if (json) writeJson(deps.out, { turns });
  return exitCodes.ok;
}

async function logs(
  deps: CliDeps,
  id: string,
  { follow, after = 0, json }: { follow?: boolean; after?: number; json?: boolean },
): Promise<ExitCode> {
  const client = connect(deps);
  const print = (turn: Turn) =>
    json ? deps.out.write(`${JSON.stringify(turn)}\n`) : printOutput(deps, turn);
  if (follow) {
    for await (const event of client.events(id, { after })) {
      if (event.event === 'turn') print(event.data);
    }
  } else {
    for await (const page of pages(client, id, after)) page.forEach(print);
  }
  return exitCodes.ok;
}

/** The program's two streams stay two streams. */
function printOutput({ out, err }: CliDeps, turn: Turn): void {
  const to: Output = turn.role === 'stderr' || turn.role === 'mark' ? err : out;
  to.write(renderOutput(turn, createStyle(to.hasColor)));
}

async function* pages(client: OffshootClient, id: string, after: number): AsyncGenerator<Turn[]> {
  for (let next: number | null = after; next !== null;) {
    const page: OperationOutput<'getTranscript'> = await client.call('getTranscript', {
      id,
      after: next,
    });
    yield page.turns;
    next = page.nextAfter;
  }
}
