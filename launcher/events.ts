/** What the launcher tells while it works, for a terminal or a log. */

import type { LogLevel } from '../contract/log.ts';

export const processNames = ['engine', 'server', 'host'] as const;
export type ProcessName = (typeof processNames)[number];

export type LauncherEvent =
  | { type: 'progress'; process: ProcessName; line: string }
  | { type: 'started' | 'adopted' | 'healthy'; process: ProcessName; pid: number }
  | { type: 'hangs'; process: ProcessName; pid: number }
  | { type: 'died'; process: ProcessName; how: string; restartInMs: number }
  | { type: 'gave_up'; process: ProcessName; error: Error }
  | { type: 'stopping' | 'stopped' | 'left_running'; process: ProcessName; pid: number }
  | { type: 'ready' };

const titles: Record<ProcessName, string> = {
  engine: 'engine',
  server: 'server',
  host: 'runner host',
};

export const titleOf = (name: ProcessName): string => titles[name];

/** Which process such a line is about. */
export function processOf(line: string): ProcessName | null {
  return processNames.find((name) => line.startsWith(`${titles[name]}: `)) ?? null;
}

/** How much a line about it matters in the launcher's log. */
export function levelOf({ type }: LauncherEvent): LogLevel {
  if (type === 'gave_up') return 'error';
  return type === 'died' || type === 'hangs' ? 'warn' : 'info';
}

/** One line for people. */
export function describeEvent(event: LauncherEvent): string {
  if (event.type === 'ready') return 'all processes are up';
  const title = titles[event.process];
  switch (event.type) {
    case 'progress':
      return `${title}: ${event.line}`;
    case 'started':
      return `${title}: started (pid ${event.pid})`;
    case 'adopted':
      return `${title}: found running (pid ${event.pid})`;
    case 'healthy':
      return `${title}: up`;
    case 'hangs':
      return `${title}: does not answer any more and is ended (pid ${event.pid})`;
    case 'died':
      return `${title}: ended (${event.how}), starting again in ${event.restartInMs} ms`;
    case 'gave_up':
      return `${title}: ${event.error.message}`;
    case 'stopping':
      return `${title}: stopping (pid ${event.pid})`;
    case 'stopped':
      return `${title}: stopped`;
    case 'left_running':
      return `${title}: finishes its agents and then ends (pid ${event.pid})`;
  }
}
