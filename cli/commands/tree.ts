/** `tree`: who asked whom. */
import type { Command } from 'commander';
import type { OffshootClient } from '../../client/index.ts';
import { AppError } from '../../contract/errors.ts';
import { limits } from '../../contract/limits.ts';
import type { SubAgentRecord, Tree, TreeNode } from '../../contract/records.ts';
import { oneLine } from '../../domain/plain-text.ts';
import { connect, ownSession } from '../connect.ts';
import type { Cli, CliDeps } from '../deps.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { isInvocationId, sessionOf, typedKey, type NamedSession } from '../named-session.ts';
import { commandAgain, forShell } from '../next-page.ts';
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
    .addHelpText(
      'after',
      `
An invocation has its mode, its runner, how long it took and its id; a session
that a program reports its state (offshoot sessions --help), the program and
its key. offshoot transcript takes both.`,
    )
    .action(action(tree));
}

async function tree(
  deps: CliDeps,
  name: string | undefined,
  { agent, json }: { agent?: string; json?: boolean },
  command: Command,
): Promise<ExitCode> {
  const client = connect(deps);
  const node = await client.call('getTree', await rootOf(deps, client, name, agent));
  const { out, err } = deps;
  if (json) writeJson(out, node);
  else {
    const width = out.isTerminal ? out.columns : Infinity;
    const text = renderTree(node, { style: createStyle(out.hasColor), width });
    out.write(text);
    if (keysOf(node).some((key) => !text.includes(key))) {
      err.write(`Whole keys: ${commandAgain(command)} | cat\n`);
    }
    if (node.truncated) err.write(`${leftOut(node, agent)}\n`);
  }
  return exitCodes.ok;
}

/** Of the sessions that programs report: those that we run are named by their invocations. */
function keysOf({ invocations, sessionKey, children }: TreeNode): string[] {
  return [...(invocations.length > 0 ? [] : [oneLine(sessionKey)]), ...children.flatMap(keysOf)];
}

function leftOut(top: Tree, agent: string | undefined): string {
  const { treeNodesMax: max, treeLevelsMax: levels } = limits;
  const { sessions, invocations } = top.total;
  const shown = `Not all is shown: at most ${max} of ${sessions} sessions and ${max} of ${invocations} invocations, on ${levels} levels.`;
  const [first] = top.children.flatMap(withMore);
  if (first === undefined) return shown;
  const of = agent === undefined ? '' : ` --agent ${forShell(agent)}`;
  return `${shown} What is below one further down: offshoot tree ${forShell(typedKey(first.sessionKey))}${of}`;
}

/** Who has more than is shown here, those furthest down first. */
const withMore = (node: TreeNode): TreeNode[] => [
  ...node.children.flatMap(withMore),
  ...(node.hasMore ? [node] : []),
];

async function rootOf(
  deps: CliDeps,
  client: OffshootClient,
  name: string | undefined,
  agent: string | undefined,
): Promise<NamedSession> {
  if (name !== undefined && isInvocationId(name))
    return rootOfRecord(await client.call('getSubagent', { id: name }));
  const key = name ?? (await ownSession(deps, client, agent));
  if (key !== null) return sessionOf(key, agent);
  const { items } = await client.call('listSubagents', { limit: 1, ...ofAgent(agent) });
  if (items[0]) return rootOfRecord(items[0]);
  const newest = { active: false, limit: 1, ...ofAgent(agent) };
  const [reported] = (await client.call('listSessions', newest)).sessions;
  if (reported) return { key: reported.rootSessionId, agentId: reported.agentId };
  throw new AppError('not_found', 'Nothing has been run or reported yet.', {
    hint: 'Start with: offshoot run demo "say hello"',
  });
}

/** A record knows whose it is: another agent may have a session of that key, too. */
const rootOfRecord = ({ rootSessionId: key, agentId: of }: SubAgentRecord) => ({
  key,
  agentId: of,
});
