import { rmSync } from 'node:fs';
import { homePaths } from '../contract/home.ts';
import type { ProcessId } from '../engine/process-identity.ts';
import { engineStopMs, send, stopProcess } from '../engine/stop-process.ts';
import type { LauncherEvent } from './events.ts';
import { sweepAgents } from './sweep-agents.ts';

export interface Stack {
  host: ProcessId | null;
  server: ProcessId | null;
  engine: ProcessId | null;
}

export interface StopOptions {
  home: string;
  /** The runner host takes nothing new, lets its agents finish, and then ends by itself. */
  leaveAgents: boolean;
  /** What an agent gets between SIGTERM and SIGKILL. */
  killGraceMs: number;
  onEvent: (event: LauncherEvent) => void;
  /** Asked by a launcher whose home may be gone: in another one neither agents nor files are its own. */
  isOwnHome?: () => boolean;
}

/** Ending its agents takes the host their grace, that of what they left, and time to report each. */
const reportMs = 20_000;
const serverStopMs = 15_000;

/** Within this one of the processes has ended, whichever it is at, and the agents that a host left before it. */
export const stepMsMax = (killGraceMs: number) => 3 * killGraceMs + reportMs + serverStopMs;

/** In this order: the host reports to the server, and the server hands on to the engine. */
export async function stopStack(stack: Stack, options: StopOptions): Promise<void> {
  const { home, onEvent, isOwnHome = () => true } = options;
  const forget = (file: string) => isOwnHome() && rmSync(file, { force: true });
  const { hostPidFile, serverPidFile } = homePaths(home);
  if (stack.host !== null && options.leaveAgents) {
    send(stack.host, 'SIGHUP');
    onEvent({ type: 'left_running', process: 'host', pid: stack.host.pid });
  } else if (stack.host !== null) {
    await stop('host', stack.host, 2 * options.killGraceMs + reportMs, onEvent);
    forget(hostPidFile);
  }
  if (!options.leaveAgents && isOwnHome()) await endLeftAgents(options);
  if (stack.server !== null) {
    await stop('server', stack.server, serverStopMs, onEvent);
    forget(serverPidFile);
  }
  // Its file stays: the next start takes the ports from it.
  if (stack.engine !== null) await stop('engine', stack.engine, engineStopMs, onEvent);
}

/** A host that was killed, now or before, has ended nothing; and no other will come to do it. */
async function endLeftAgents({ home, killGraceMs, onEvent }: StopOptions): Promise<void> {
  const count = await sweepAgents(home, killGraceMs);
  if (count === 0) return;
  onEvent({ type: 'progress', process: 'host', line: `ended ${count} processes that it had left` });
}

async function stop(
  process: 'host' | 'server' | 'engine',
  id: ProcessId,
  graceMs: number,
  onEvent: StopOptions['onEvent'],
): Promise<void> {
  onEvent({ type: 'stopping', process, pid: id.pid });
  await stopProcess(id, graceMs);
  onEvent({ type: 'stopped', process, pid: id.pid });
}
