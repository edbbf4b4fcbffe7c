/** The home is a folder that we may write, or one that can be made: looked at before anything is begun. */
import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '../contract/errors.ts';

/** For every command: a home that is a file would look like one in which nothing runs. */
export function refuseFileAsHome(home: string): void {
  const { existing } = split(home);
  if (!statSync(existing).isDirectory()) throw unusable(home, `${existing} is not a folder`);
}

/** For whoever writes there. */
export function makeHome(home: string): void {
  refuseFileAsHome(home);
  try {
    // One by one: asked for all at once, Node never comes back where the system answers as /proc does.
    for (const folder of split(home).missing) makeFolder(folder);
    accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw unusable(home, (cause as Error).message, cause);
  }
}

/** What of the path is there, and the folders that would have to be made, in that order. */
function split(home: string): { existing: string; missing: string[] } {
  const missing: string[] = [];
  let existing = home;
  while (!existsSync(existing)) {
    missing.unshift(existing);
    existing = dirname(existing);
  }
  return { existing, missing };
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Somebody else was faster: what there is now is looked at below.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function unusable(home: string, why: string, cause?: unknown): AppError {
  return new AppError('home_unusable', `the home ${home} cannot be used: ${why}`, {
    cause,
    hint: 'Set OFFSHOOT_HOME to a folder that you may write, or to one that can be made.',
  });
}
