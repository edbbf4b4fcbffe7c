/** `up`, `down` and `status`: the processes behind it all. */
import type { Command } from 'commander';
import { discover } from '../../client/index.ts';
import type { Config } from '../../contract/config.ts';
import { AppError } from '../../contract/errors.ts';
import type { Cli, CliDeps } from '../deps.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { homeHealth, runningAgents } from '../home-health.ts';
import { jsonOption, port } from '../option-values.ts';
import { tellLine, withProgress } from '../progress.ts';
import { addressesOf, renderAddresses, renderStatus } from '../render/stack.ts';
import { createStyle } from '../render/style.ts';
import { stackState } from '../stack-state.ts';
import { tellTrouble } from '../tell-trouble.ts';
import { fateOfAgents, upInForeground } from '../up-in-foreground.ts';
import { writeJson } from '../write-json.ts';

interface UpOptions {
  detach?: boolean;
  port?: number;
  json?: boolean;
}

export function addStackCommands(program: Command, { action }: Cli): void {
  program
    .command('up')
    .description('start everything, or wait until what runs already is ready')
    .option('-d, --detach', 'leave it running in the background')
    .option('--port <port>', 'port of the API; 0 picks a free one, once per home', port)
    .addOption(jsonOption())
    .action(action(up));
  program
    .command('down')
    .description('stop everything')
    .option('--leave-agents', 'let running agents finish')
    .addOption(jsonOption())
    .action(action(down));
  program
    .command('status')
    .description('what runs, where, and how it is')
    .addOption(jsonOption())
    .action(action(status));
}

async function up(deps: CliDeps, options: UpOptions): Promise<ExitCode> {
  const { launcherStatus, makeHome, requireStartable, startDetached } =
    await import('../../launcher/index.ts');
  const { home, out, err } = deps;
  const isAlive = launcherStatus(home).launcher !== null;
  if (!isAlive) {
    makeHome(home);
    const config = await startableConfig(home);
    if (!options.detach) {
      const { loadConfig } = await import('../../config/index.ts');
      return upInForeground(deps, () => loadConfig(home), options);
    }
    const { processEnvironment: env } = deps;
    await requireStartable({ home, port: options.port ?? null, config, env });
  } else if ((await homeHealth(home)).health === null) {
    // A server that runs goes on with what it has read last; one that is down comes up with none of it.
    await startableConfig(home);
  }
  const work = startDetached({
    home,
    port: options.port ?? null,
    env: deps.processEnvironment,
    onProgress: (line) => tellLine(deps, line),
  });
  const { health, wasRunning } = await withProgress(deps, 'starting', work);
  if (wasRunning) {
    const later =
      options.port === undefined
        ? ''
        : ' --port counts with a start: offshoot down, then up --port again.';
    err.write(`Offshoot is already running.${later}\n`);
  }
  const addresses = addressesOf(home, discover(home).server, health);
  const trouble = await tellTrouble(deps, health);
  const problem = trouble?.what ?? null;
  if (options.json) writeJson(out, { ...addresses, status: health.status, problem, wasRunning });
  else out.write(renderAddresses(addresses, createStyle(out.hasColor)));
  return health.status === 'ready' ? exitCodes.ok : exitCodes.unreachable;
}

/** One mistake is enough to know that nothing can start, and where to look. */
async function startableConfig(home: string): Promise<Config> {
  const { ConfigError, loadConfig } = await import('../../config/index.ts');
  try {
    return loadConfig(home);
  } catch (error) {
    if (!(error instanceof ConfigError) || error.mistakes.length === 1) throw error;
    const [first = ''] = error.mistakes;
    const others = error.mistakes.length - 1;
    throw new AppError('config_invalid', `${error.file}: ${first}`, {
      cause: error,
      hint: `There ${others === 1 ? 'is 1 more mistake' : `are ${others} more mistakes`} in it: offshoot config check`,
    });
  }
}

/** A server that is well reads the file again for new work, and refuses it while there is a mistake in it. */
async function configMistake(home: string): Promise<AppError | null> {
  try {
    await startableConfig(home);
    return null;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message } = error;
    return new AppError(code, message, {
      cause: error,
      hint: 'New requests are refused until it is mended: offshoot config check',
    });
  }
}

async function down(
  deps: CliDeps,
  { leaveAgents = false, json }: { leaveAgents?: boolean; json?: boolean },
): Promise<ExitCode> {
  const { stopLauncher } = await import('../../launcher/stop-launcher.ts');
  const { home, out, err } = deps;
  const agents = (await runningAgents(home)) ?? 0;
  if (agents > 0) err.write(`${fateOfAgents(agents, leaveAgents)}\n`);
  const onProgress = (line: string) => tellLine(deps, line);
  const work = stopLauncher(home, { leaveAgents, onProgress });
  const { wasRunning } = await withProgress(deps, 'stopping', work);
  if (json) writeJson(out, { wasRunning, agents, leaveAgents });
  else out.write(wasRunning ? 'Stopped.\n' : `Nothing runs on ${home}.\n`);
  return exitCodes.ok;
}

async function status(deps: CliDeps, { json }: { json?: boolean }): Promise<ExitCode> {
  const { launcherStatus } = await import('../../launcher/stop-launcher.ts');
  const { stoppingLauncher } = await import('../../launcher/launcher-file.ts');
  const { home, out } = deps;
  const { health, url, remoteUrl, problem: found } = await homeHealth(home);
  // Afterwards: what ended while the server was asked is not told to live.
  const { launcher: looksAfter, processes } = launcherStatus(home);
  const launcher = looksAfter?.pid ?? null;
  const isStopping = stoppingLauncher(home) !== null;
  const wrong = health === null ? found : await configMistake(home);
  const seen = { url, launcher, processes, health, isStopping, problem: wrong };
  const { state, problem } = stackState(seen);
  const stack = { state, home, url, remoteUrl, launcher, processes, health, problem };
  if (json) writeJson(out, stack);
  else out.write(renderStatus(stack, createStyle(out.hasColor)));
  return health?.status === 'ready' ? exitCodes.ok : exitCodes.unreachable;
}
