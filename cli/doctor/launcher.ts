/** Findings about who looks after what runs. */
import { homePaths } from '../../contract/home.ts';
import { readPidFile } from '../../engine/pid-file.ts';
import { isRunning } from '../../engine/process-identity.ts';
import { runningLauncher } from '../../launcher/launcher-file.ts';
import { ill, type Finding } from '../render/findings.ts';

/** A stack outlives its launcher on purpose; left so, it loses one part after the other. */
export function checkLauncher(home: string): Finding[] {
  const { serverPidFile, hostPidFile } = homePaths(home);
  const left = [serverPidFile, hostPidFile].some((file) => {
    const id = readPidFile(file);
    return id !== null && isRunning(id);
  });
  if (!left || runningLauncher(home) !== null) return [];
  return [
    ill('warning', 'launcher', {
      what: 'none looks after what runs here',
      why: 'Which of engine, server and runner host ends now is not started again.',
      remedy: 'offshoot up --detach takes over what runs',
    }),
  ];
}
