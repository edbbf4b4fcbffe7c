import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { LogAbout } from '../../contract/log.ts';
import { createLifeLog } from '../../telemetry/life-log.ts';
import { withOperations } from '../operations/operations-fixture.ts';

test('each step of an invocation is one line with its id, after whoever is to begin has been told', async () => {
  await withOperations(async (room) => {
    const lines: [string, LogAbout | undefined][] = [];
    room.store.changes.listen(createLifeLog((line, about) => lines.push([line, about])));
    let seen: number | null = null;
    room.store.changes.listen(() => (seen ??= lines.length));
    const { id, sessionKey } = await room.start();
    await room.host.play(id, 'the answer');
    await sleep(20);
    expect(seen).toBe(0);
    const about = { level: 'info', invocation: id };
    expect(lines).toEqual([
      ['accepted: talk, ASYNC_POLL', { ...about, session: sessionKey }],
      ['started on local', { ...about, run: 1 }],
      ['run over', { ...about, run: 1 }],
      [expect.stringMatching(/^completed, after \d+(\.\d+)? s$/), about],
    ]);
  });
});
