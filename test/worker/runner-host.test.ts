/** What a runner host says in its log while the server is not there yet. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { startRunnerHost } from '../../worker/host/runner-host.ts';
import { withFolder } from '../support/folder.ts';

/** The log of a host whose server stays away for a second. */
async function logWithoutServer(more: { unheardMs?: number }): Promise<string[]> {
  const lines: string[] = [];
  await withFolder(async (folder) => {
    const away = () => Promise.reject(new Error('no server.json'));
    const host = startRunnerHost({
      ...{ api: { hello: away, sync: away, claim: away, report: away }, hostId: 'local' },
      ...{
        bootId: 'b',
        hostname: 'here',
        pid: 1,
        slots: () => 1,
        folder,
        folderMark: 'here',
        engine: null,
      },
      runProgram: () => Promise.reject(new Error('nothing is run here')),
      sweep: async () => {},
      killGraceMs: () => 0,
      log: (line) => lines.push(line),
      ...more,
    });
    await sleep(1_000);
    host.stop();
    await host.ended;
  });
  return lines;
}

test('a start that waits for its server a moment says nothing of it', async () => {
  expect(await logWithoutServer({})).toEqual([]);
});

test('a server that stays away is told once, with the reason', async () => {
  expect(await logWithoutServer({ unheardMs: 300 })).toEqual(['hello: Error: no server.json']);
});
