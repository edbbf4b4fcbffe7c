/** Findings about files that name processes which are gone. */
import { rmSync } from 'node:fs';
import { readServerFile } from '../../client/server-file.ts';
import { homePaths } from '../../contract/home.ts';
import { readPidFile } from '../../engine/pid-file.ts';
import { identifyProcess, isRunning } from '../../engine/process-identity.ts';
import { ill, type Finding } from '../render/findings.ts';

/** `engine.json` stays on purpose: the next start takes the ports from it. */
export function checkLeftFiles(home: string): Finding[] {
  const left = leftFiles(home);
  if (left.length === 0) return [];
  return [
    ill('warning', 'left files', {
      what: `${left.join(', ')}: the process named there is gone`,
      why: 'It was killed. Clients look for a server in vain for a while before they say so.',
      remedy: '`offshoot up` takes them over; or remove them',
      fix: () => {
        // Looked at again: somebody may have started it since.
        const still = leftFiles(home);
        for (const file of still) rmSync(file, { force: true });
        return `removed ${still.join(', ')}`;
      },
    }),
  ];
}

/** A file that is being written, was cut short or came with a copy names no process of this home. */
function leftFiles(home: string): string[] {
  const { launcherFile, serverPidFile, hostPidFile, serverFile } = homePaths(home);
  const pidFiles = [launcherFile, serverPidFile, hostPidFile].filter((file) => {
    const id = readPidFile(file);
    return id !== null && !isRunning(id);
  });
  return isServerGone(home) ? [...pidFiles, serverFile] : pidFiles;
}

function isServerGone(home: string): boolean {
  try {
    return identifyProcess(readServerFile(home).pid) === null;
  } catch {
    return false;
  }
}
