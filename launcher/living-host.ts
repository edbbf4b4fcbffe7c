import { homePaths, hostLock } from '../contract/home.ts';
import { localHostId } from '../contract/names.ts';
import { readPidFile } from '../engine/pid-file.ts';
import { isRunning, type ProcessId } from '../engine/process-identity.ts';

/**
 * The runner host beside the server, by its launcher's note, else by its own lock: a launcher may be killed before it
 * has made that note, and another host could not start beside this one.
 */
export function livingHost(home: string): ProcessId | null {
  const { hostPidFile, hosts } = homePaths(home);
  const notes = [hostPidFile, hostLock(hosts, localHostId)].map((file) => readPidFile(file));
  return notes.find((id) => id !== null && isRunning(id)) ?? null;
}
