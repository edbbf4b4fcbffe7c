import type { Launcher } from './launch.ts';

/** SIGUSR1 is `down --leave-agents`. A closed terminal (SIGHUP) is taken as Ctrl-C. */
export function obeySignals(launcher: Launcher): void {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => void launcher.stop());
  }
  process.on('SIGUSR1', () => void launcher.stop({ leaveAgents: true }));
}
