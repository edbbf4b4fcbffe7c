/** `mcp`: the tools for an agent program, over standard input and output. */
import type { Command } from 'commander';
import { connect } from '../connect.ts';
import type { Cli, CliDeps } from '../deps.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';

export function addMcpCommand(program: Command, { action }: Cli): void {
  program
    .command('mcp')
    .description('serve the MCP tools on standard input and output, for an agent program')
    .action(action(mcp));
}

async function mcp(deps: CliDeps): Promise<ExitCode> {
  const { startMcpServer } = await import('../../mcp/main.ts');
  await startMcpServer({
    connect: () => connect(deps),
    environment: deps.environment,
    cwd: deps.cwd,
    version: deps.version,
    ...deps.streams,
  });
  return exitCodes.ok;
}
