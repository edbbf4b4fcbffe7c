/** What the command line writes on a disk that takes only a part of it, or nothing: tmpfs, which takes root. */
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect } from '@jest/globals';
import { runHook } from '../../cli/hook/run-hook.ts';
import { answerJson, withFakeServer } from '../client/fake-server.ts';
import { openDisk, testOnDisks, type SmallDisk } from '../e2e/small-disk.ts';
import { cli } from './cli-harness.ts';

const onDisk = testOnDisks('what the command line writes on a disk without room or writes');
const tooMuch = 'x'.repeat(2 * 1024 * 1024);

const disks: [string, string, (disk: SmallDisk) => void][] = [
  ['for which there is room in part', 'ENOSPC', () => {}],
  ['on a read-only disk', 'EROFS', (disk) => disk.mount('ro')],
];

onDisk.each(disks)('a hook %s is not said to be kept, and is not', (_, why, harm) =>
  withDisk(async (disk) => {
    const home = disk.folder;
    const spool = join(home, 'spool', 'hooks');
    mkdirSync(spool, { recursive: true });
    harm(disk);
    const payload = JSON.stringify({ session_id: 's', prompt: tooMuch });
    const told = await runHook({
      args: ['UserPromptSubmit', '--harness', 'claude-code'],
      stdin: Readable.from([Buffer.from(payload)]),
      environment: { home: null, url: null, token: null, noHooks: null },
      home,
      now: Date.now,
      signal: new AbortController().signal,
    });
    expect(told.err).toMatch(/^offshoot hook: no server is running; not kept: .*\n$/);
    expect(told.err).toContain(`not kept: ${why}`);
    expect(readdirSync(spool)).toEqual([]);
  }),
);

onDisk.each(disks)(
  'an export %s is refused with what to do, and leaves no half file',
  (_, why, harm) =>
    withDisk((disk) =>
      withFakeServer(
        (__, response) => answerJson(response, { jsonl: `{}\n"${tooMuch}"\n`, nextAfter: null }),
        async ({ url }) => {
          harm(disk);
          const file = join(disk.folder, 's1.jsonl');
          const run = await cli(['export', 's1', '-o', file], { url });
          expect(run.exitCode).toBe(5);
          expect(run.err).toContain(`${file} was not written: ${why}`);
          expect(run.err).toContain('on another disk');
          expect(readdirSync(disk.folder)).toEqual([]);
        },
      ),
    ),
);

async function withDisk(use: (disk: SmallDisk) => Promise<void>): Promise<void> {
  const disk = openDisk(1);
  try {
    await use(disk);
  } finally {
    disk.remove();
  }
}
