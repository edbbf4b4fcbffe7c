/** `<home>/run/launcher.json`: who looks after this home. It is a lock: one launcher per home. */
import { mkdirSync } from 'node:fs';
import { AppError } from '../contract/errors.ts';
import { homePaths } from '../contract/home.ts';
import { releaseFileLock, takeFileLock } from '../engine/file-lock.ts';
import { readPidFile } from '../engine/pid-file.ts';
import { isRunning, type ProcessId } from '../engine/process-identity.ts';

/** Refuses while another launcher lives; the file of a dead one is taken over. */
export async function holdLauncherFile(home: string): Promise<{ release: () => void }> {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const path = homePaths(home).launcherFile;
  const holder = await takeFileLock(path);
  if (holder === null) return { release: () => releaseFileLock(path) };
  throw new AppError('home_in_use', `${home} is looked after by process ${holder.pid} already`, {
    hint: '`offshoot status` shows it, `offshoot down` ends it.',
  });
}

/** The living launcher of this home. */
export function runningLauncher(home: string): ProcessId | null {
  const id = readPidFile(homePaths(home).launcherFile);
  return id !== null && isRunning(id) ? id : null;
}
