/** The process's own streams and signals, as commands see them. */
import { createInterface } from 'node:readline';
import type { ReadStream, WriteStream } from 'node:tty';
import type { CliDeps, Input, Output } from './deps.ts';

/** What help and tables are laid out for where nobody says how wide it is. */
const columnsDefault = 80;

export function outputOf(stream: NodeJS.WriteStream, noColor: boolean): Output {
  const terminal = stream as Partial<WriteStream>;
  const isTerminal = terminal.isTTY ?? false;
  return {
    write: (text) => void stream.write(text),
    isTerminal,
    hasColor: isTerminal && !noColor,
    get columns() {
      return terminal.columns ?? columnsDefault;
    },
  };
}

export function inputOf(stdin: NodeJS.ReadStream, stderr: NodeJS.WriteStream): Input {
  return {
    isTerminal: (stdin as Partial<ReadStream>).isTTY ?? false,
    read: () => stdin as AsyncIterable<Uint8Array>,
    ask: (question, signal) =>
      new Promise((resolve) => {
        // Not as a terminal of readline's: then Ctrl-C stays a signal, and a second one is heard.
        const lines = createInterface({ input: stdin, output: stderr, terminal: false });
        lines.on('close', () => resolve(null));
        signal.addEventListener('abort', () => lines.close());
        lines.question(question, (answer) => {
          resolve(answer);
          lines.close();
        });
      }),
  };
}

export function interruptsOf(process: NodeJS.Process): CliDeps['onInterrupt'] {
  return (listener) => {
    process.on('SIGINT', listener);
    return () => void process.off('SIGINT', listener);
  };
}
