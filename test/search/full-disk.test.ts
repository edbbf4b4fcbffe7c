/** The index on a real disk of its own, which takes root: it may run out of room while the store does not. */
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { startSearch } from '../../search/start-search.ts';
import { insertSession } from '../../store/sessions.ts';
import { appendTurns } from '../../store/turns.ts';
import { openDisk, testOnDisks, type SmallDisk } from '../e2e/small-disk.ts';
import { withStore } from '../store/store-fixture.ts';

const onDisk = testOnDisks('the index on a disk without room or writes');

const nobody = { project: null, sessionIds: null, rootId: null, withoutId: null };

/** A store beside an index on a disk of its own; one session in it, and how to add to that and to find. */
function withIndex(use: (room: IndexRoom) => Promise<void>, harm?: (disk: SmallDisk) => void) {
  return withStore(async ({ store, file }) => {
    const disk = openDisk(16);
    harm?.(disk);
    const running = startSearch({
      ...{ store, database: file, index: join(disk.folder, 'search.db'), log: () => {} },
    });
    try {
      const fresh = { agentId: 'a', sessionKey: 's', kind: 'external', harness: null } as const;
      const { id } = await store.write((tx) =>
        insertSession(tx, { ...fresh, project: null, title: null }),
      );
      await use({
        disk,
        say: (...texts) =>
          store.write((tx) => {
            appendTurns(
              tx,
              id,
              texts.map((text) => ({ role: 'user', text })),
            );
          }),
        find: (query) =>
          running.search({
            ...{ query, scope: { agentId: 'a', ...nobody }, limit: 1, bySession: false },
          }),
      });
    } finally {
      await running.stop();
      disk.remove();
    }
  });
}

interface IndexRoom {
  disk: SmallDisk;
  say(...texts: string[]): Promise<void>;
  find(query: string): Promise<unknown[]>;
}

const refused = { code: 'search_unavailable' };

onDisk(
  'without room for the index turns are kept, searches are refused, and all is found when there is room',
  () =>
    withIndex(async ({ disk, say, find }) => {
      await say('before');
      expect(await find('before')).toHaveLength(1);
      disk.fill();
      await say(...Array.from({ length: 3000 }, (_, n) => `number${n} `.repeat(50)));
      await expect(find('number2999')).rejects.toMatchObject(refused);
      await say('meanwhile');
      disk.free();
      expect(await find('number2999')).toHaveLength(1);
      expect(await find('meanwhile')).toHaveLength(1);
      expect(await find('before')).toHaveLength(1);
    }),
);

onDisk(
  'where the index lies on a read-only disk turns are kept, searches are refused, and all is found when it takes writes',
  () =>
    withIndex(
      async ({ disk, say, find }) => {
        await say('meanwhile');
        await expect(find('meanwhile')).rejects.toMatchObject(refused);
        disk.mount('rw');
        expect(await find('meanwhile')).toHaveLength(1);
      },
      (disk) => disk.mount('ro'),
    ),
);
