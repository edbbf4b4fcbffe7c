/** `token create`: what an agent, a script or a person is given to reach one agent's sessions. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import {
  permissions,
  scopedRoles,
  type Permission,
  type ScopedRole,
} from '../../contract/words.ts';
import { connect } from '../connect.ts';
import type { Cli, CliDeps } from '../deps.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { jsonOption, lengthOfTime } from '../option-values.ts';
import { writeJson } from '../write-json.ts';

interface TokenOptions {
  role: ScopedRole;
  agent: string;
  project?: string;
  permission?: Permission[];
  ttl?: number;
  json?: boolean;
}

export function addTokenCommand(program: Command, { action }: Cli): void {
  const token = program.command('token').description("tokens for one agent's sessions");
  token
    .command('create')
    .description('make a token for one agent; it cannot be revoked, it ends')
    .addOption(
      token
        .createOption('--role <role>', 'readonly reads, agent writes, too, operator deletes, too')
        .choices(scopedRoles)
        .makeOptionMandatory(),
    )
    .requiredOption('--agent <id>', 'whose sessions and entities')
    .option('-p, --project <folder>', 'only sessions in this folder or below it')
    .addOption(
      token
        .createOption(
          '--permission <names...>',
          "fewer than the role's: recall reads, remember writes",
        )
        .choices(permissions),
    )
    .option('--ttl <time>', 'how long it holds: 90min, 12h, 30d (default: 7d)', lengthOfTime)
    .addOption(jsonOption())
    .action(action(create));
}

async function create(deps: CliDeps, options: TokenOptions): Promise<ExitCode> {
  const { role, agent, project, permission, ttl, json } = options;
  const made = await connect(deps).call('createToken', {
    role,
    agentId: agent,
    ...(project !== undefined && { project: resolve(deps.cwd, project) }),
    ...(permission !== undefined && { permissions: permission }),
    ...(ttl !== undefined && { ttlSeconds: ttl }),
  });
  const { out, err } = deps;
  if (json) {
    writeJson(out, made);
    return exitCodes.ok;
  }
  const where = made.project === null ? '' : ` in ${made.project}`;
  out.write(`${made.token}\n`);
  err.write(
    `For ${made.agentId}${where}: ${made.permissions.join(' and ')}, until ${made.expiresAt}. It is not shown again.\n`,
  );
  return exitCodes.ok;
}
