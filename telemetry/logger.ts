/** Our processes' logs: one JSON object per line on stderr, which the launcher leads into a file. */
import { pino } from 'pino';
import { readableLine, type Log, type LogLevel } from '../contract/log.ts';

/** SDK messages can be megabytes long (whole histories): a line has an end. */
const messageCharsMax = 2000;
/** Session keys are given from outside. */
const idCharsMax = 200;
/** A token of ours, wherever it comes along: logs are pasted into bug reports. */
const ownToken = /\boff_[\w-]+\.[\w-]+/g;
const bearer = /\b(bearer) +[^\s"',]+/gi;

export interface LoggerOptions {
  process: 'server' | 'host' | 'launcher';
  /** Read for each line: a change of the configuration counts at once. */
  level: () => LogLevel;
  /** Takes whole lines. */
  write: (line: string) => void;
}

export function createLogger(options: LoggerOptions): Log {
  const logger = pino(
    {
      base: { process: options.process },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: options.write },
  );
  return (message, { level = 'warn', invocation, session, run } = {}) => {
    logger.level = levelNow(options);
    const about = {
      ...(invocation !== undefined && { invocation: cut(invocation, idCharsMax) }),
      ...(session !== undefined && { session: cut(session, idCharsMax) }),
      ...(run !== undefined && { run }),
    };
    logger[level](about, cut(plain(message), messageCharsMax));
  };
}

/** A configuration with a mistake is told in a line, which must not fail for that same mistake. */
function levelNow({ level }: LoggerOptions): LogLevel {
  try {
    return level();
  } catch {
    return 'info';
  }
}

/** Files get JSON; whoever started the process in a terminal reads sentences. */
export function writeTo(stream: NodeJS.WriteStream): (line: string) => void {
  // A full disk takes no line; that must not end the process, which has more to lose than its log.
  stream.on('error', () => {});
  return (line) => stream.write(stream.isTTY ? `${readableLine(line.trimEnd())}\n` : line);
}

const plain = (message: string) =>
  message.replaceAll(/\s+/g, ' ').replaceAll(ownToken, 'off_…').replaceAll(bearer, '$1 …');

const cut = (text: string, max: number) =>
  text.length > max ? `${text.slice(0, max)}… (${text.length} characters)` : text;
