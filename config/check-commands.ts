import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { z } from 'zod';

/** What can be read of a file with whatever other mistakes, which the schema of the whole names. */
const commandsSchema = z
  .object({
    runners: z
      .record(z.string(), z.object({ command: z.string() }).catch({ command: '' }))
      .catch({}),
  })
  .catch({ runners: {} });

/** A command line where a program belongs: it would be looked for with its blanks, and never found. */
export function checkCommands(given: unknown): string[] {
  const { runners } = commandsSchema.parse(given);
  return Object.entries(runners).flatMap(([id, { command }]) => {
    if (!isCommandLine(command)) return [];
    const [program, ...args] = command.trim().split(/\s+/);
    const meant = `command: ${program} and args: ${JSON.stringify(args)}`;
    return [`runners.${id}.command: is one program, not a command line; did you mean ${meant}?`];
  });
}

/** A path may hold blanks. One within a workspace is not known yet, so there only an option tells. */
function isCommandLine(command: string): boolean {
  const [first = ''] = command.split(/\s/);
  if (first === command) return false;
  if (isAbsolute(command)) return !isFile(command) && isFile(first);
  return command.includes('/') ? /\s-/.test(command) : true;
}

/** Nothing is below a file, or behind a folder that may not be entered; and what is replaced just now may be gone. */
function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
