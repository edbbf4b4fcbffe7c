/** `export` and `import`: sessions as lines of JSON, from one store to another. */
import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import type { OperationOutput } from '../../contract/operations.ts';
import { connect } from '../connect.ts';
import type { Cli, CliDeps } from '../deps.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { namedSession } from '../named-session.ts';
import { writeNewFile } from '../new-file.ts';
import { agentOption, jsonOption, ofAgent } from '../option-values.ts';
import { readLines } from '../read-lines.ts';
import { usageError } from '../report-error.ts';
import { exportedText, importedPages, refusedPage } from '../session-lines.ts';
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
  await writeNewFile(file, text);
  deps.err.write(`${asked.key} is in ${file}\n`);
  return exitCodes.ok;
}

async function importSessions(
  deps: CliDeps,
  file: string | undefined,
  { agent, json }: { agent?: string; json?: boolean },
): Promise<ExitCode> {
  const client = connect(deps);
  const imported = new Map<string, Imported>();
  for await (const page of importedPages(await linesOf(deps, file))) {
    const taken = await client
      .call('importSession', { jsonl: page.jsonl, ...ofAgent(agent) })
      .catch((error: unknown) => {
        throw refusedPage(error, page);
      });
    const id = JSON.stringify([taken.agentId, taken.sessionKey]);
    const before = imported.get(id);
    const added = taken.added + (before?.added ?? 0);
    imported.set(id, { ...taken, added, known: taken.known + (before?.known ?? 0) });
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
    const refuse = (why: string) =>
      usageError(
        `${path} cannot be read: ${why}`,
        'Name a file that `offshoot export` has made. offshoot import --help shows how.',
      );
    const handle = await open(path).catch((cause: NodeJS.ErrnoException) => {
      throw refuse(cause.code === 'ENOENT' ? 'it is not there' : cause.message);
    });
    if ((await handle.stat()).isDirectory()) {
      await handle.close();
      throw refuse('it is a folder');
    }
    return readLines(handle.createReadStream());
  }
  if (input.isTerminal)
    throw usageError('Nothing was given to import.', 'Name a file, or pipe it in.');
  return readLines(streams.stdin);
}
