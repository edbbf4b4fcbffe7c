/** What the command line writes on a disk that takes only a part of it, or nothing: tmpfs, which takes root. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect } from '@jest/globals';
import { runHook } from '../../cli/hook/run-hook.ts';
import { openHookSpool } from '../../client/hook-spool.ts';
import { homePaths } from '../../contract/home.ts';
import { answerJson, withFakeServer } from '../client/fake-server.ts';
import { openDisk, testOnDisks, type SmallDisk } from '../e2e/small-disk.ts';
import { cli } from './cli-harness.ts';
import { base } from './hook-home.ts';

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
    const told = await runHook({ ...base, home, stdin: Readable.from([Buffer.from(payload)]) });
    expect(told.err).toMatch(
      /^offshoot hook: no server is running: start it with `offshoot up`; not kept: .*\n$/,
    );
    expect(told.err).toContain(`not kept: ${why}`);
    expect(readdirSync(spool)).toEqual([]);
  }),
);

onDisk.each<[string, (disk: SmallDisk) => void, (disk: SmallDisk) => void]>([
  ['full', (disk) => disk.fill(), (disk) => disk.free()],
  ['read-only', (disk) => disk.mount('ro'), (disk) => disk.mount('rw')],
])(
  'where hooks wait on a disk that is %s a new one goes to the server, and they go later',
  (_, harm, mend) =>
    withDisk((disk) =>
      withFakeServer(
        (__, response) => answerJson(response, { inject: 'Known.' }),
        async ({ url, seen }) => {
          const spool = openHookSpool(homePaths(disk.folder).ownHookSpool);
          spool.add({ event: 'stop', request: { harness: 'codex', lastAssistantMessage: 'kept' } });
          const tokenFile = join(disk.folder, 'token');
          writeFileSync(tokenFile, 'the-token');
          writeFileSync(join(disk.folder, 'server.json'), JSON.stringify({ url, tokenFile }));
          harm(disk);
          expect(await stop(disk.folder, 'now')).toMatchObject({
            out: expect.stringContaining('Known.'),
            err: expect.stringContaining('what was kept cannot be sent: '),
          });
          mend(disk);
          expect((await stop(disk.folder, 'then')).err).toBe('');
          const said = seen.map(({ body }) => body?.lastAssistantMessage);
          expect([...new Set(said)]).toEqual(expect.arrayContaining(['now', 'kept', 'then']));
          expect(said.indexOf('kept')).toBeLessThan(said.indexOf('then'));
          expect(spool.names()).toEqual([]);
        },
      ),
    ),
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

function stop(home: string, words: string) {
  const payload = JSON.stringify({ session_id: 's', last_assistant_message: words });
  const args = ['Stop', '--harness', 'codex'];
  return runHook({ ...base, args, home, stdin: Readable.from([Buffer.from(payload)]) });
}

async function withDisk(use: (disk: SmallDisk) => Promise<void>): Promise<void> {
  const disk = openDisk(1);
  try {
    await use(disk);
  } finally {
    disk.remove();
  }
}
