/** `tree`: who asked whom. */
import type { Command } from 'commander';
import type { OffshootClient } from '../../client/index.ts';
import { AppError } from '../../contract/errors.ts';
import { limits } from '../../contract/limits.ts';
import type { SubAgentRecord, Tree } from '../../contract/records.ts';
import { connect, ownSession } from '../connect.ts';
import type { Cli, CliDeps } from '../deps.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { agentOption, jsonOption, ofAgent } from '../option-values.ts';
import { createStyle } from '../render/style.ts';
import { renderTree } from '../render/tree.ts';
import { writeJson } from '../write-json.ts';

export function addTreeCommand(program: Command, { action }: Cli): void {
  program
    .command('tree [session]')
    .description(
      'draw the tree of a session, or of the root of an invocation (default: your own, else the newest)',
    )
    .addOption(agentOption())
    .addOption(jsonOption())
    .action(action(tree));
}

async function tree(
  deps: CliDeps,
  name: string | undefined,
  { agent, json }: { agent?: string; json?: boolean },
): Promise<ExitCode> {
  const client = connect(deps);
  const node = await client.call('getTree', await rootOf(deps, client, name, agent));
  const { out } = deps;
  if (json) writeJson(out, node);
  else {
    const width = out.isTerminal ? out.columns : Infinity;
    out.write(renderTree(node, { style: createStyle(out.hasColor), width }));
    if (node.truncated) out.write(`${leftOut(node)}\n`);
  }
  return exitCodes.ok;
}

function leftOut({ total }: Tree): string {
  const max = limits.treeNodesMax;
  return `Not all is shown: at most ${max} of ${total.sessions} sessions and ${max} of ${total.invocations} invocations, the oldest. See the rest with: offshoot tree <session>`;
}

async function rootOf(
  deps: CliDeps,
  client: OffshootClient,
  name: string | undefined,
  agent: string | undefined,
): Promise<{ key: string; agentId?: string }> {
  if (name?.startsWith('sub_')) return rootOfRecord(await client.call('getSubagent', { id: name }));
  const key = name ?? (await ownSession(deps, client, agent));
  if (key !== null) return { key, ...ofAgent(agent) };
  const { items } = await client.call('listSubagents', { limit: 1, ...ofAgent(agent) });
  if (items[0]) return rootOfRecord(items[0]);
  throw new AppError('not_found', 'Nothing has been run yet.', {
    hint: 'Start with: offshoot run demo "say hello"',
  });
}

/** A record knows whose it is: another agent may have a session of that key, too. */
const rootOfRecord = ({ rootSessionId: key, agentId: of }: SubAgentRecord) => ({
  key,
  agentId: of,
});
