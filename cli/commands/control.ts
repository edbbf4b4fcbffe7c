/** `cancel` and `delete`. */
import type { Command } from 'commander';
import type { OffshootClient } from '../../client/index.ts';
import { AppError } from '../../contract/errors.ts';
import { hints } from '../../contract/hints.ts';
import type { TreeNode } from '../../contract/records.ts';
import { isFinal, type Status } from '../../contract/words.ts';
import { connect } from '../connect.ts';
import type { Cli, CliDeps } from '../deps.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { agentOption, jsonOption, ofAgent } from '../option-values.ts';
import { withProgress } from '../progress.ts';
import { statusGlyph } from '../render/status.ts';
import { createStyle } from '../render/style.ts';
import { usageError } from '../report-error.ts';
import { writeJson } from '../write-json.ts';

export function addControlCommands(program: Command, { action }: Cli): void {
  program
    .command('cancel <id>')
    .description('cancel a sub-agent and all that it has asked for')
    .option('--reason <text>', 'why, kept with it')
    .addOption(jsonOption())
    .action(action(cancel));
  program
    .command('delete <id>')
    .description('delete an ended sub-agent, or with --session a session, and all below it')
    .option('--session', 'the id is a session key')
    .addOption(agentOption())
    .option('-y, --yes', 'do not ask; needed where nobody can be asked')
    .addOption(jsonOption())
    .action(action(remove));
}

async function cancel(
  deps: CliDeps,
  id: string,
  { reason, json }: { reason?: string; json?: boolean },
): Promise<ExitCode> {
  const client = connect(deps);
  const input = { id, ...(reason === undefined ? {} : { reason }) };
  const hadEnded = isFinal((await client.call('getSubagent', { id })).status);
  const record = await withProgress(deps, `cancelling ${id}`, client.call('cancelSubagent', input));
  if (json) writeJson(deps.out, record);
  else {
    const style = createStyle(deps.out.hasColor);
    const had = hadEnded ? 'had ended already: ' : '';
    const why = record.pendingReason === null ? '' : ` · ${record.pendingReason}`;
    deps.out.write(`${statusGlyph(record.status, style)} ${id} ${had}${record.status}${why}\n`);
  }
  return exitCodes.ok;
}

interface DeleteOptions {
  session?: boolean;
  agent?: string;
  yes?: boolean;
  json?: boolean;
}

async function remove(
  deps: CliDeps,
  id: string,
  { session, agent, yes, json }: DeleteOptions,
): Promise<ExitCode> {
  if (agent !== undefined && !session) {
    throw usageError('An invocation is known by its id alone.', 'Use --agent with --session.');
  }
  const client = connect(deps);
  const look = () => (session ? lookAtSession(client, id, agent) : lookAtInvocation(client, id));
  if (!yes && !(await isSure(deps, id, look))) {
    deps.err.write('Nothing was deleted.\n');
    return exitCodes.interrupted;
  }
  const deleted = session
    ? await client.call('deleteSession', { key: id, ...ofAgent(agent) })
    : await noSession(id, client.call('deleteSubagent', { id }));
  if (json) writeJson(deps.out, deleted);
  else {
    const { sessions, invocations, turns, callbacks } = deleted;
    const counts = { sessions, invocations, turns, callbacks };
    const words = Object.entries(counts).map(
      ([name, count]) => `${count} ${count === 1 ? name.slice(0, -1) : name}`,
    );
    deps.out.write(`Deleted: ${words.join(', ')}.\n`);
  }
  return exitCodes.ok;
}

/**
 * Transcripts do not come back. Where nobody can be asked, it has to be said beforehand. What is refused
 * anyway, which `look` finds out, is not asked about.
 */
async function isSure(
  { input, err, onInterrupt }: CliDeps,
  id: string,
  look: () => Promise<void>,
): Promise<boolean> {
  if (!input.isTerminal || !err.isTerminal) {
    throw usageError(`Nobody is there to be asked whether to delete ${id}.`, 'Say it with --yes.');
  }
  await look();
  const question = `Delete ${id} with its transcript and all below it? [y/N] `;
  const over = new AbortController();
  const stopListening = onInterrupt(() => over.abort());
  const answer = await input.ask(question, over.signal).finally(stopListening);
  // Neither Ctrl-C nor the end of the input ends the line.
  if (answer === null) err.write('\n');
  return /^\s*y/i.test(answer ?? '');
}

async function lookAtSession(client: OffshootClient, key: string, agent?: string): Promise<void> {
  requireTreeEnded(await client.call('getTree', { key, ...ofAgent(agent) }));
}

/** What it has asked for, of all that stands below its session, the server alone knows. */
async function lookAtInvocation(client: OffshootClient, id: string): Promise<void> {
  requireEnded(await noSession(id, client.call('getSubagent', { id })));
}

/** The keys that we make begin with `ses_`, as those of no invocation do. */
async function noSession<T>(id: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (cause) {
    if (!(cause instanceof AppError) || cause.code !== 'not_found' || !id.startsWith('ses_')) {
      throw cause;
    }
    throw new AppError(cause.code, cause.message, {
      cause,
      hint: `A session is deleted with --session: offshoot delete ${id} --session`,
    });
  }
}

function requireTreeEnded({ invocations, children }: TreeNode): void {
  invocations.forEach(requireEnded);
  children.forEach(requireTreeEnded);
}

function requireEnded({ id, status }: { id: string; status: Status }): void {
  if (isFinal(status)) return;
  throw new AppError('still_running', `${id} is ${status}`, { hint: hints.stillRunning.http });
}
