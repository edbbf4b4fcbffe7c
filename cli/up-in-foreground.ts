/** `up` without `--detach`: this process is the launcher, and stays until Ctrl-C. */
import { discover } from '../client/index.ts';
import type { Config } from '../contract/config.ts';
import { AppError } from '../contract/errors.ts';
import { homePaths } from '../contract/home.ts';
import type { CliDeps } from './deps.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import { runningAgents } from './home-health.ts';
import { addressesOf, renderAddresses } from './render/stack.ts';
import { createStyle } from './render/style.ts';
import { tellTrouble } from './tell-trouble.ts';
import { writeJson } from './write-json.ts';

export async function upInForeground(
  deps: CliDeps,
  readConfig: () => Config,
  options: { port?: number; json?: boolean },
): Promise<ExitCode> {
  const { describeEvent, launch, obeySignals } = await import('../launcher/index.ts');
  const { home, err } = deps;
  let isReady = false;
  const launcher = await launch({
    home,
    port: options.port ?? null,
    readConfig,
    env: deps.processEnvironment,
    onEvent: (event) => {
      // What keeps it from coming up is the error that this command ends with.
      if (event.type !== 'gave_up' || isReady) err.write(`${describeEvent(event)}\n`);
    },
  });
  let isInterrupted = false;
  // Before the launcher hears of it: then the server can still be asked what runs.
  const stopListening = deps.onInterrupt(() => {
    if (!isInterrupted) void tellFate(deps);
    isInterrupted = true;
  });
  obeySignals(launcher);
  const over = new AbortController();
  void launcher.finished.then(() => over.abort());
  try {
    await launcher.ready;
    isReady = true;
    await tellAddresses(deps, options.json ?? false, over.signal);
  } catch (error) {
    await launcher.stop();
    stopListening();
    if (isInterrupted) return exitCodes.interrupted;
    throw error;
  }
  const error = await launcher.finished;
  stopListening();
  // Ctrl-C is how it is meant to end.
  if (error !== null) throw error;
  return exitCodes.ok;
}

async function tellAddresses(deps: CliDeps, isJson: boolean, over: AbortSignal): Promise<void> {
  const { settledHealth } = await import('../launcher/index.ts');
  const { home, out, err } = deps;
  const health = await settledHealth(home, over);
  if (health === null) {
    throw new AppError('server_unavailable', 'The server was ready and does not answer any more.', {
      hint: `Its log is ${homePaths(home).logs}/server.log.`,
    });
  }
  const addresses = addressesOf(home, discover(home).server, health);
  const trouble = await tellTrouble(deps, health);
  if (isJson) {
    const problem = trouble?.what ?? null;
    return writeJson(out, { ...addresses, status: health.status, problem, wasRunning: false });
  }
  out.write(renderAddresses(addresses, createStyle(out.hasColor)));
  err.write('Ctrl-C stops it.\n');
}

/** The heading at once, before what the launcher tells of it; on a terminal it stands below the `^C`. */
export async function tellFate({ home, err }: Pick<CliDeps, 'home' | 'err'>): Promise<void> {
  err.write(err.isTerminal ? '\nStopping.\n' : 'Stopping.\n');
  const agents = await runningAgents(home);
  if (agents) err.write(`${fateOfAgents(agents, false)}\n`);
}

export function fateOfAgents(agents: number, leaveAgents: boolean): string {
  const who = agents === 1 ? '1 agent is running' : `${agents} agents are running`;
  return leaveAgents
    ? `${who} and will finish; the answers are taken in at the next \`offshoot up\`.`
    : `${who} and will be asked to stop; what is lost fails or runs again, as its runner's onLost says (\`offshoot down --leave-agents\` lets them finish).`;
}
