import { expect, test } from '@jest/globals';
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
