import { setImmediate as nextTurn } from 'node:timers/promises';
import BetterSqlite3 from 'better-sqlite3';
import { expect, test } from '@jest/globals';
import type { Change } from '../../store/changes.ts';
import { openDatabase, type Db } from '../../store/database.ts';
import { createWriteQueue, type Tx } from '../../store/write-queue.ts';
import { withStore, type StoreRoom } from './store-fixture.ts';

const put = (value: number | string) => (tx: { db: Db }) =>
  tx.db.run("INSERT INTO meta (key, value) VALUES (:key, 'x')", { key: String(value) });
const keys = (room: StoreRoom) =>
  room.store.db
    .all<{ key: string }>("SELECT key FROM meta WHERE key <> 'home_id' ORDER BY key")
    .map((row) => row.key);

test("a failing write takes back its own changes and nobody else's", async () => {
  await withStore(async (room) => {
    const { write } = room.store;
    const all = await Promise.allSettled([
      write(put('a')),
      write((tx) => {
        put('b')(tx);
        throw new Error('no');
      }),
      write(put('c')),
      write((tx) => {
        put('d')(tx);
        put('d')(tx);
      }),
    ]);
    expect(all.map((one) => one.status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
    ]);
    expect(keys(room)).toEqual(['a', 'c']);
  });
});

/** Counts the commits of a queue on a database of its own. */
function countingQueue(file: string, fail?: (sql: string) => void) {
  const db = openDatabase(file);
  let commits = 0;
  const watched: Db = {
    ...db,
    run(sql, params) {
      fail?.(sql);
      if (sql === 'COMMIT') commits += 1;
      return db.run(sql, params);
    },
  };
  const told: Change[] = [];
  const queue = createWriteQueue(
    watched,
    () => new Date(),
    (changes) => told.push(...changes),
  );
  return { ...queue, db, told, commits: () => commits };
}

test('what one turn of the loop queued is one commit, and the next turn another', async () => {
  await withStore(async (room) => {
    const { write, commits, db } = countingQueue(room.file);
    await Promise.all(Array.from({ length: 50 }, (_, index) => write(put(index))));
    expect(commits()).toBe(1);
    await write(put('later'));
    expect(commits()).toBe(2);
    db.close();
  });
});

test('who is alone is answered before the turn of the loop ends', async () => {
  await withStore(async (room) => {
    const { write, commits, db } = countingQueue(room.file);
    const turnEnds = nextTurn().then(() => 'the turn ended');
    expect(await Promise.race([turnEnds, write(put('a')).then(() => 'answered')])).toBe('answered');
    expect(commits()).toBe(1);
    db.close();
  });
});

test('those who come after the first of a turn share one commit, and in the next turn they begin with it', async () => {
  await withStore(async (room) => {
    const { write, commits, db } = countingQueue(room.file);
    const several = (names: string[]) => names.map(async (name) => await write(put(name)));
    await write(put('first'));
    const second = write(put('second'));
    await Promise.resolve();
    await Promise.all([second, ...several(['third', 'fourth'])]);
    expect(commits()).toBe(2);

    await nextTurn();
    const one = write(put('one'));
    // Long enough for who is alone.
    for (let step = 0; step < 10; step += 1) await Promise.resolve();
    await Promise.all([one, ...several(['two', 'three'])]);
    expect(commits()).toBe(3);

    await nextTurn();
    await write(put('again one'));
    await nextTurn();
    const turnEnds = nextTurn().then(() => 'the turn ended');
    const alone = write(put('alone')).then(() => 'answered');
    expect(await Promise.race([turnEnds, alone])).toBe('answered');
    db.close();
  });
});

test('writes that follow one another let the loop turn', async () => {
  await withStore(async (room) => {
    let turns = 0;
    const count = () => {
      turns += 1;
      if (turns < 100) setImmediate(count);
    };
    setImmediate(count);
    for (let n = 0; n < 20; n += 1) await room.store.write(put(n));
    expect(turns).toBeGreaterThanOrEqual(10);
  });
});

test('nobody is answered before the commit: another connection sees what was answered', async () => {
  await withStore(async (room) => {
    const other = new BetterSqlite3(room.file, { readonly: true });
    const see = () => other.prepare("SELECT count(*) AS n FROM meta WHERE key = 'a'").get();
    const answered = room.store.write(put('a')).then(see);
    expect(see()).toEqual({ n: 0 });
    expect(await answered).toEqual({ n: 1 });
    other.close();
  });
});

test('a write that returns a promise is refused and taken back', async () => {
  await withStore(async (room) => {
    const work = async (tx: { db: Db }) => put('a')(tx);
    await expect(room.store.write(work)).rejects.toThrow('must not return a promise');
    expect(keys(room)).toEqual([]);
  });
});

test('a commit that fails rejects all that were in it, keeps nothing, and tells nobody', async () => {
  await withStore(async (room) => {
    let isFull = true;
    const { write, db, told } = countingQueue(room.file, (sql) => {
      if (sql === 'COMMIT' && isFull) throw new Error('disk full');
    });
    const noted = (tx: { db: Db; note(change: Change): void }) => {
      tx.note({ kind: 'outbox' });
      put('a')(tx);
    };
    const all = await Promise.allSettled([write(noted), write(put('b'))]);
    expect(all.map((one) => one.status)).toEqual(['rejected', 'rejected']);
    expect(keys(room)).toEqual([]);
    expect(told).toEqual([]);

    isFull = false;
    await write(put('c'));
    expect(keys(room)).toEqual(['c']);
    db.close();
  });
});

test('a listener that fails leaves no caller without an answer', async () => {
  await withStore(async (room) => {
    const db = openDatabase(room.file);
    const { write, flush, tell } = createWriteQueue(
      db,
      () => new Date(),
      () => {
        throw new Error('a listener of ours');
      },
    );
    const telling = (tx: Tx) => tx.note({ kind: 'outbox' });
    const answered = [write(put('a')), write(put('b')), write(telling)];
    flush();
    expect(tell).toThrow('a listener of ours');
    await Promise.all(answered);
    expect(keys(room)).toEqual(['a', 'b']);
    db.close();
  });
});

test('changes are told after the commit, and those of a failed write are not', async () => {
  await withStore(async (room) => {
    const heard: { change: Change; isThere: boolean }[] = [];
    const other = new BetterSqlite3(room.file, { readonly: true });
    room.store.changes.listen((change) => {
      const isThere = other.prepare("SELECT 1 FROM meta WHERE key = 'a'").get() !== undefined;
      heard.push({ change, isThere });
    });
    await Promise.allSettled([
      room.store.write((tx) => {
        tx.note({ kind: 'outbox' });
        put('a')(tx);
      }),
      room.store.write((tx) => {
        tx.note({ kind: 'released', invocationId: 'sub_1' });
        throw new Error('no');
      }),
    ]);
    // Whoever wrote goes on first, to the end of its turn.
    expect(heard).toEqual([]);
    await nextTurn();
    expect(heard).toEqual([]);
    await nextTurn();
    expect(heard).toEqual([{ change: { kind: 'outbox' }, isThere: true }]);
    other.close();
  });
});

test('a database that stays locked is called busy, so that callers know to come again', async () => {
  await withStore(async (room) => {
    const other = new BetterSqlite3(room.file);
    room.store.db.exec('PRAGMA busy_timeout = 10');
    other.exec('BEGIN IMMEDIATE');
    await expect(room.store.write(put('a'))).rejects.toMatchObject({ code: 'database_busy' });
    other.exec('ROLLBACK');
    other.close();
    await room.store.write(put('b'));
    expect(keys(room)).toEqual(['b']);
  });
});

test('what was queued when the store is closed is still written', async () => {
  await withStore(async (room) => {
    const { write, flush, db } = countingQueue(room.file);
    const answered = write(put('a'));
    flush();
    expect(keys(room)).toEqual(['a']);
    await answered;
    db.close();
  });
});

test('on a full disk all that was in the commit hear of it, nothing is kept, and room is enough to go on', async () => {
  await withStore(async (room) => {
    const { db, write } = room.store;
    // SQLite answers as it does where the disk has no page left.
    const { page_count: pages } = db.get<{ page_count: number }>('PRAGMA page_count')!;
    db.exec(`PRAGMA max_page_count = ${pages + 2}`);
    const long = (tx: { db: Db }) =>
      tx.db.run('INSERT INTO meta (key, value) VALUES (:key, :value)', {
        key: 'long',
        value: 'x'.repeat(100_000),
      });
    const all = await Promise.allSettled([write(put('a')), write(long), write(put('b'))]);
    expect(all.map((one) => one.status)).toEqual(['rejected', 'rejected', 'rejected']);
    for (const one of all) expect(one).toMatchObject({ reason: { code: 'disk_full' } });
    expect(keys(room)).toEqual([]);
    db.exec('PRAGMA max_page_count = 1000000');
    await Promise.all([write(put('a')), write(long)]);
    expect(keys(room)).toEqual(['a', 'long']);
  });
});

test('a store that cannot be written says so, and is read all the same', async () => {
  await withStore(async (room) => {
    const db = openDatabase(room.file, { readonly: true });
    const { write } = createWriteQueue(
      db,
      () => new Date(),
      () => {},
    );
    await expect(write(put('a'))).rejects.toMatchObject({ code: 'store_unwritable' });
    expect(keys(room)).toEqual([]);
    db.close();
  });
});
