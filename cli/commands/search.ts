/** `search`: what was said in sessions. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { namedBy, whoAsks } from '../../client/index.ts';
import { limits } from '../../contract/limits.ts';
import { connect } from '../connect.ts';
import type { Cli, CliDeps } from '../deps.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { jsonOption, ofAgent, wholeNumberIn } from '../option-values.ts';
import { renderHits } from '../render/hits.ts';
import { createStyle } from '../render/style.ts';
import { writeJson } from '../write-json.ts';

interface SearchOptions {
  session?: string;
  root?: string;
  agent?: string;
  project?: string;
  limit?: number;
  bySession?: boolean;
  json?: boolean;
}

export function addSearchCommand(program: Command, { action }: Cli): void {
  program
    .command('search <words...>')
    .description(
      'search what was said in sessions; an agent searches the session that asked for it',
    )
    .option('-s, --session <key>', 'only in this session')
    .option('--root <key>', 'only in this session and all below it')
    .option('--agent <id>', 'sessions of this agent')
    .option('-p, --project <folder>', 'only sessions that work in this folder or below it')
    .option(
      '-n, --limit <count>',
      `at most this many, ${limits.searchHitsMax} at most (default: ${limits.searchHitsDefault})`,
      wholeNumberIn(1, limits.searchHitsMax),
    )
    .option('--by-session', 'one hit per session, its best')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `\nIn the words: "a phrase", -without, begin*. Quote them for the shell, as one:\n  offshoot search '"a phrase" -without begin*'`,
    )
    .action(action(search));
}

async function search(deps: CliDeps, words: string[], options: SearchOptions): Promise<ExitCode> {
  const client = connect(deps);
  const { session, root, agent, project, limit, bySession, json } = options;
  const query = words.join(' ');
  const own = namedBy(whoAsks(deps.environment));
  const answer = await client.call('searchSessions', {
    query,
    ...(session !== undefined && { sessionKey: session }),
    ...(root !== undefined && { rootSessionKey: root }),
    ...(own !== null && { currentSessionKey: own }),
    ...ofAgent(agent),
    ...(project !== undefined && { project: resolve(deps.cwd, project) }),
    ...(limit !== undefined && { limit }),
    ...(bySession && { groupBy: 'session' as const }),
  });
  // One that is not there has nothing to be found: that is said.
  const named = session ?? root;
  if (answer.count === 0 && named !== undefined) {
    await client.call('getSession', { key: named, ...ofAgent(agent) });
  }
  const { out, err } = deps;
  if (json) writeJson(out, answer);
  else if (answer.count === 0) err.write('Nothing was found.\n');
  else
    out.write(
      renderHits(answer.hits, { style: createStyle(out.hasColor), now: deps.now(), query }),
    );
  return exitCodes.ok;
}
