import { homedir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';

/** The home in use: the one that is named, else `.offshoot` in the user's own folder. */
export function homeFolder(home: string | null): string {
  return home === null ? join(userFolder(), '.offshoot') : resolve(home);
}

/** An empty HOME is as good as none: what is the user's own would be in `/`, or in whatever folder one works in. */
export function userFolder(): string {
  return homedir() || userInfo().homedir;
}
