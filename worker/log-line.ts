/** Logs of our processes go to stderr, one line each; the launcher writes them to a file. */
const LINE_MAX = 2000;

/** SDK messages can be megabytes long (whole histories): a line has an end. */
export function logLine(message: string): void {
  const line = message.replaceAll(/\s+/g, ' ');
  const cut =
    line.length > LINE_MAX ? `${line.slice(0, LINE_MAX)}… (${line.length} characters)` : line;
  process.stderr.write(`${new Date().toISOString()} ${cut}\n`);
}
