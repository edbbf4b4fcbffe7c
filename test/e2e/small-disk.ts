/** Disks without room: a small one of its own, which takes root, or a bound on files, which does not. */
import { expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const run = (command: string, ...args: string[]) =>
  execFileSync(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });

/**
 * What a test over disks of its own is declared with: skipped, and told on stderr, where this machine
 * lets us mount none. Where OFFSHOOT_TEST_MOUNT is set that is a failure.
 */
export function testOnDisks(whatIsSkipped: string): typeof test | typeof test.skip {
  const problem = mountProblem();
  if (problem !== null) {
    process.stderr.write(
      `${whatIsSkipped}: this machine lets us mount no disk (it takes root): ${problem}\n`,
    );
  }
  test('where OFFSHOOT_TEST_MOUNT asks for disks of their own, there are some', () => {
    if (process.env['OFFSHOOT_TEST_MOUNT']) expect(problem).toBeNull();
  });
  return problem === null ? test : test.skip;
}

function mountProblem(): string | null {
  try {
    openDisk(1).remove();
    return null;
  } catch (error) {
    return String((error as { stderr?: Buffer }).stderr ?? error).trim() || String(error);
  }
}

export interface SmallDisk {
  folder: string;
  /** Takes all the room that is left. */
  fill(): void;
  free(): void;
  mount(how: 'ro' | 'rw'): void;
  remove(): void;
}

export function openDisk(megabytes: number, more: readonly string[] = []): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'disk-'));
  try {
    const options = [`size=${megabytes}m`, 'mode=700', ...more].join(',');
    run('mount', '-t', 'tmpfs', '-o', options, 'offshoot-test', folder);
  } catch (error) {
    rmSync(folder, { recursive: true });
    throw error;
  }
  const filler = join(folder, 'filler');
  return {
    folder,
    fill: () => fillUp(filler),
    free: () => rmSync(filler, { force: true }),
    mount: (how) => void run('mount', '-o', `remount,${how}`, folder),
    remove() {
      // Lazily: what has just ended may still hold its working folder for a moment.
      run('umount', '--lazy', folder);
      rmSync(folder, { recursive: true });
    },
  };
}

function fillUp(file: string): void {
  const descriptor = openSync(file, 'a');
  try {
    for (let bytes = 1024 * 1024; bytes >= 1024;) {
      try {
        writeSync(descriptor, Buffer.alloc(bytes));
      } catch {
        bytes /= 2;
      }
    }
  } finally {
    closeSync(descriptor);
  }
}

/** No file of this process may grow from here on: each write beyond the first byte fails. */
export function boundFiles(pid: number): void {
  run('prlimit', '--pid', String(pid), '--fsize=1:unlimited');
}

export function unboundFiles(pid: number): void {
  run('prlimit', '--pid', String(pid), '--fsize=unlimited:unlimited');
}
