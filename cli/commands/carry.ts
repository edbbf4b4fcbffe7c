/** `export` and `import`: sessions as lines of JSON, from one store to another. */
import { open, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { AppError } from '../../contract/errors.ts';
import type { OperationOutput } from '../../contract/operations.ts';
import { asDiskTrouble } from '../../domain/disk-trouble.ts';
import { connect } from '../connect.ts';
import type { Cli, CliDeps } from '../deps.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { namedSession } from '../named-session.ts';
import { agentOption, jsonOption, ofAgent } from '../option-values.ts';
import { readLines } from '../read-lines.ts';
import { usageError } from '../report-error.ts';
import { exportedText, importedPages } from '../session-lines.ts';
import { writeJson } from '../write-json.ts';

type Imported = OperationOutput<'importSession'>;

export function addCarryCommands(program: Command, { action }: Cli): void {
  program
    .command('export <session>')
    .description(
      "print a session as lines of JSON: one about it, then one for each turn; also takes an invocation's id",
    )
    .option('-o, --out <file>', 'into a new file, which only you can read')
    .option('--raw', 'as it was reported, secrets included: with the token of an operator')
    .addOption(agentOption())
    .action(action(exportSession));
  program
    .command('import [file]')
    .description('take in sessions that were exported; a second time adds nothing')
    .option('--agent <id>', 'for this agent, instead of the exported one')
    .addOption(jsonOption())
    .addHelpText('after', '\nWithout a file, or with -, it reads standard input.')
    .action(action(importSessions));
}

async function exportSession(
  deps: CliDeps,
  name: string,
  { out, agent, raw }: { out?: string; agent?: string; raw?: boolean },
): Promise<ExitCode> {
  const client = connect(deps);
  const asked = { ...(await namedSession(client, name, agent)), ...(raw && { raw }) };
  const text = exportedText(client, asked);
  if (out === undefined) {
    // A reader that is slow holds back the next page.
    await pipeline(text, deps.streams.stdout, { end: false });
    return exitCodes.ok;
  }
  const file = resolve(deps.cwd, out);
  // Before the file is made: a session that is not there leaves none behind.
  const first = await text.next();
  const handle = await open(file, 'wx', 0o600).catch((cause: NodeJS.ErrnoException) => {
    const trouble = notWritten(file, cause);
    if (trouble !== null) throw trouble;
    const why = cause.code === 'EEXIST' ? 'it is there already' : cause.message;
    throw usageError(`${file} cannot be made: ${why}`, 'Name a new file.');
  });
  try {
    // All of each page: one write takes as much as there is room for, and that is no error.
    if (!first.done) await handle.appendFile(first.value);
    for await (const more of text) await handle.appendFile(more);
  } catch (error) {
    await rm(file, { force: true });
    throw notWritten(file, error) ?? error;
  } finally {
    await handle.close();
  }
  deps.err.write(`${asked.key} is in ${file}\n`);
  return exitCodes.ok;
}

function notWritten(file: string, error: unknown): AppError | null {
  const trouble = asDiskTrouble(error);
  if (trouble === null) return null;
  const message = `${file} was not written: ${(error as Error).message}`;
  return new AppError(trouble.code, message, {
    cause: error,
    hint: 'Nothing is left of it. Make room, or have that disk take writes, or name a file on another disk.',
  });
}

async function importSessions(
  deps: CliDeps,
  file: string | undefined,
  { agent, json }: { agent?: string; json?: boolean },
): Promise<ExitCode> {
  const client = connect(deps);
  const imported = new Map<string, Imported>();
  for await (const jsonl of importedPages(await linesOf(deps, file))) {
    const of = ofAgent(agent);
    const page = await client.call('importSession', { jsonl, ...of });
    const id = JSON.stringify([page.agentId, page.sessionKey]);
    const before = imported.get(id);
    const added = page.added + (before?.added ?? 0);
    imported.set(id, { ...page, added, known: page.known + (before?.known ?? 0) });
  }
  const sessions = [...imported.values()];
  if (json) writeJson(deps.out, { sessions });
  else
    for (const { sessionKey, agentId, added, known } of sessions)
      deps.out.write(`${sessionKey} of ${agentId}: ${added} turns added, ${known} known\n`);
  return exitCodes.ok;
}

async function linesOf(
  { cwd, input, streams }: CliDeps,
  file: string | undefined,
): Promise<AsyncIterable<string>> {
  if (file !== undefined && file !== '-') {
    const path = resolve(cwd, file);
    const handle = await open(path).catch((cause: Error) => {
      throw usageError(`${path} cannot be read: ${cause.message}`);
    });
    return readLines(handle.createReadStream());
  }
  if (input.isTerminal)
    throw usageError('Nothing was given to import.', 'Name a file, or pipe it in.');
  return readLines(streams.stdin);
}
