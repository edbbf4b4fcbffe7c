/** Findings about files that name processes which are gone. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { homePaths } from '../../contract/home.ts';
import { identifyProcess, isRunning } from '../../engine/process-identity.ts';
import { ill, type Finding } from '../render/findings.ts';

/** `engine.json` stays on purpose: the next start takes the ports from it. */
export function checkLeftFiles(home: string): Finding[] {
  const { launcherFile, serverPidFile, hostPidFile, serverFile } = homePaths(home);
  const left = [launcherFile, serverPidFile, hostPidFile, serverFile].filter(isLeft);
  if (left.length === 0) return [];
  return [
    ill('warning', 'left files', {
      what: `${left.join(', ')}: the process named there is gone`,
      why: 'It was killed. Clients look for a server in vain for a while before they say so.',
      remedy: '`offshoot up` takes them over; or remove them',
      fix: () => {
        // Looked at again: somebody may have started it since.
        const still = left.filter(isLeft);
        for (const file of still) rmSync(file, { force: true });
        return `removed ${still.join(', ')}`;
      },
    }),
  ];
}

function isLeft(file: string): boolean {
  if (!existsSync(file)) return false;
  try {
    const { pid, start } = JSON.parse(readFileSync(file, 'utf8')) as {
      pid: number;
      start?: string;
    };
    return start === undefined ? identifyProcess(pid) === null : !isRunning({ pid, start });
  } catch {
    // It is being written, or cut short: neither names a process.
    return false;
  }
}
