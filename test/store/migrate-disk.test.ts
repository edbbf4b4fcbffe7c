/** Migrating on a real disk of its own, which takes root: one without room for the copy that comes first. */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { expect } from '@jest/globals';
import { openStore } from '../../store/index.ts';
import { openDisk, testOnDisks } from '../e2e/small-disk.ts';
import { migrationNames, olderDatabase, version } from './older-database.ts';

const onDisk = testOnDisks('migrating on a disk without room');

onDisk(
  'an older database for whose copy there is no room stays as it is, and is upgraded once there is',
  async () => {
    const disk = openDisk(8);
    try {
      const file = join(disk.folder, 'main.db');
      const other = join(disk.folder, 'other');
      olderDatabase(file, 3);
      const db = new BetterSqlite3(file);
      db.prepare('INSERT INTO agents (id, name) VALUES (?, ?)').run('large', 'x'.repeat(3_000_000));
      db.close();
      writeFileSync(other, 'x'.repeat(3_000_000));

      for (let start = 0; start < 2; start += 1) {
        expect(() => openStore(file, { checkpoints: false })).toThrow(
          expect.objectContaining({
            code: 'disk_full',
            message: expect.stringContaining(file),
            hint: expect.stringContaining('Make room'),
          }),
        );
        expect(version(file)).toBe(3);
        // Nor is what room there is taken by half a copy.
        expect(readdirSync(disk.folder).filter((name) => name.startsWith('main.db.'))).toEqual([]);
      }

      rmSync(other);
      await openStore(file, { checkpoints: false }).close();
      expect([version(file), version(`${file}.schema-0003`)]).toEqual([migrationNames.length, 3]);
    } finally {
      disk.remove();
    }
  },
);
