/** What `npm run demo --` can be given. */
import { parseArgs } from 'node:util';
import { usageError } from '../cli/report-error.ts';

export interface DemoFlags {
  keep: boolean;
  home: string | null;
}

export const demoUsage = 'npm run demo -- [--keep] [--home <folder>]';

export function readFlags(args: string[]): DemoFlags {
  const { keep, home } = parse(args);
  // It would be the folder that the command was called in.
  if (home === '') throw usageError('--home needs a folder.', demoUsage);
  return { keep, home: home ?? null };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: { keep: { type: 'boolean', default: false }, home: { type: 'string' } },
    }).values;
  } catch (error) {
    // What Node says after it is about arguments that begin with a dash, and takes more lines.
    const [first = ''] = (error as Error).message.split(/\. |\n/);
    throw usageError(`${first}.`, demoUsage);
  }
}
