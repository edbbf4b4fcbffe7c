import { expect, test } from '@jest/globals';
import { openDatabase } from '../../store/database.ts';
import { writeMeta } from '../../store/meta.ts';
import { withStore } from './store-fixture.ts';

test('what is kept in memory in another version takes the place of the one before, and of nothing else', () =>
  withStore(({ store: { db } }) => {
    const read: string[] = [];
    const ask = (key: string, version: string) =>
      db.kept(key, version, () => {
        read.push(`${key} ${version}`);
        return version;
      });
    for (let n = 0; n < 100; n += 1) ask(`key ${n}`, 'first');
    read.length = 0;
    expect(ask('key 7', 'second')).toBe('second');
    expect(ask('key 7', 'second')).toBe('second');
    expect(ask('key 8', 'first')).toBe('first');
    expect(read).toEqual(['key 7 second']);
    ask('one more', 'first');
    ask('key 8', 'first');
    expect(read.at(-1)).toBe('key 8 first');
    return Promise.resolve();
  }));

test('reads that belong together are of one moment, and what went wrong in them is what is told', () =>
  withStore(async ({ store: { db, write }, file }) => {
    const other = openDatabase(file);
    const count = () => other.get<{ n: number }>('SELECT count(*) AS n FROM meta')!.n;
    const before = count();
    await write((tx) => writeMeta(tx, 'a', 'b'));
    expect(count()).toBe(before + 1);
    other.reading(() => {
      const known = count();
      db.run(`DELETE FROM meta WHERE key = 'a'`);
      expect([count(), other.reading(count)]).toEqual([known, known]);
    });
    expect(count()).toBe(before);
    // As SQLite does by itself where the disk cannot be read.
    const broken = () => {
      other.exec('ROLLBACK');
      throw new Error('disk I/O error');
    };
    expect(() => other.reading(broken)).toThrow('disk I/O error');
    expect(other.reading(count)).toBe(before);
    other.close();
  }));
