import { homedir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';

/** The home in use: the one that is named, else `.offshoot` in the user's own folder. */
export function homeFolder(home: string | null): string {
  // An empty HOME is as good as none: it would put a home into every folder one works in.
  return home === null ? join(homedir() || userInfo().homedir, '.offshoot') : resolve(home);
}
