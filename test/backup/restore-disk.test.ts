/** Restoring on real disks of their own, which takes root: one without room, and one without writes. */
import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { decidedName, restoreBackup } from '../../backup/index.ts';
import { homePaths } from '../../contract/home.ts';
import { takeHome } from '../../engine/home-lock.ts';
import { openStore } from '../../store/index.ts';
import { openDisk, testOnDisks, type SmallDisk } from '../e2e/small-disk.ts';
import { putMeta, read, withHome } from './backup-fixture.ts';

const onDisk = testOnDisks('restoring on a disk without room or writes');

const keysIn = (file: string) =>
  read<{ key: string }>(file, `SELECT key FROM meta WHERE key IN ('kept', 'own')`).map(
    ({ key }) => key,
  );

onDisk.each<[string, string, (disk: SmallDisk) => void, (disk: SmallDisk) => void]>([
  ['without room', 'disk_full', (disk) => disk.fill(), (disk) => disk.free()],
  ['without writes', 'store_unwritable', (disk) => disk.mount('ro'), (disk) => disk.mount('rw')],
])(
  'a home on a disk %s keeps its database as it was, and is restored once that is mended',
  async (_, code, harm, mend) => {
    await withHome(async ({ store, backups }) => {
      await putMeta(store, 'kept');
      const { file } = await backups.take(null);
      const disk = openDisk(16);
      try {
        const home = join(disk.folder, 'home');
        mkdirSync(home, { mode: 0o700 });
        const paths = homePaths(home);
        // As a server has left it.
        takeHome(home)();
        const own = openStore(paths.database, { checkpoints: false });
        await putMeta(own, 'own');
        await own.close();
        const before = readFileSync(paths.database);
        harm(disk);
        const refused = restoreBackup(paths, file, new Date());
        await expect(refused).rejects.toMatchObject({
          code,
          hint: expect.stringContaining('The database is as it was.'),
        });
        expect(readFileSync(paths.database).equals(before)).toBe(true);
        expect(readdirSync(home).filter((name) => name.includes('restor'))).toEqual([]);
        mend(disk);
        // One that was decided, and then had no room for its end: the next start finishes it.
        copyFileSync(file, decidedName(paths.database));
        harm(disk);
        await expect(restoreBackup(paths, file, new Date())).rejects.toMatchObject({
          code,
          hint: expect.stringContaining('It is decided'),
        });
        mend(disk);
        await restoreBackup(paths, file, new Date());
        expect(keysIn(paths.database)).toEqual(['kept']);
      } finally {
        disk.remove();
      }
    });
  },
);
