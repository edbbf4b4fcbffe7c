import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** The home in use: the one that is named, else `.offshoot` in the user's own folder. */
export function homeFolder(home: string | null): string {
  return home === null ? join(homedir(), '.offshoot') : resolve(home);
}
