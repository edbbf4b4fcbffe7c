/** Lines of our logs: what writes one is given this, and how a line is shown to a person. */

export const logLevels = ['error', 'warn', 'info'] as const;
export type LogLevel = (typeof logLevels)[number];

/** What a line is about, so that the lines on one invocation can be found. */
export interface LogAbout {
  /** Most of what we log went wrong somewhere: `warn` if nothing else is said. */
  level?: LogLevel;
  invocation?: string;
  session?: string;
  run?: number;
}

export type Log = (message: string, about?: LogAbout) => void;

/** A line of our logs as a person reads it; what is no such line, such as the engine's, stays as it is. */
export function readableLine(line: string): string {
  const { time, level, process, msg } = parseLine(line);
  if (typeof msg !== 'string') return line;
  const who = [time, level, process].filter((word) => typeof word === 'string');
  return `${who.join(' ')}: ${msg}`;
}

/** Only what is said, for a terminal that shows it as it happens. */
export function saidIn(line: string): string {
  const { msg } = parseLine(line);
  return typeof msg === 'string' ? msg : line;
}

/** Null for what is no such line. */
export function levelIn(line: string): LogLevel | null {
  const { level } = parseLine(line);
  return logLevels.find((known) => known === level) ?? null;
}

/** Whether it tells that something went wrong. */
export function isTrouble(line: string): boolean {
  const level = levelIn(line);
  return level === 'error' || level === 'warn';
}

function parseLine(line: string): Record<string, unknown> {
  if (!line.startsWith('{')) return {};
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    // The first line of a log's end may be cut in its middle.
    return {};
  }
}
