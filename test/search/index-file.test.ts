import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import BetterSqlite3 from 'better-sqlite3';
import { expect, test } from '@jest/globals';
import type { ToolUse } from '../../contract/transcript.ts';
import { call, result } from '../../harnesses/content.ts';
import { message } from '../../harnesses/said.ts';
import { openIndex } from '../../search/index-file.ts';
import { createSearcher } from '../../search/searcher.ts';
import { insertLineage } from '../../store/lineage.ts';
import { registerSession } from '../../store/sessions.ts';
import { appendTurns } from '../../store/turns.ts';
import { withSearch, type SearchFixture } from './search-fixture.ts';

async function filled(fixture: SearchFixture) {
  const row = await fixture.session('one');
  await fixture.say(row, 'a needle', ['mark', 'needle'], ['assistant', 'no hay']);
  expect(fixture.excerpts('needle')).toEqual(['a needle']);
  return row;
}

const change = (file: string, sql: string) => {
  const db = new BetterSqlite3(file);
  db.exec(sql);
  db.close();
};

test('what is said is found at once, also while the index is open', () =>
  withSearch(async (fixture) => {
    const row = await filled(fixture);
    for (let n = 0; n < 200; n += 1) {
      await fixture.say(row, `unheard${n}`);
      expect(fixture.excerpts(`unheard${n}`)).toEqual([`unheard${n}`]);
    }
  }));

/** Every page of one of its tables. */
function overwrite(index: string, table: string): void {
  const db = new BetterSqlite3(index, { readonly: true });
  const pages = db.prepare('SELECT pageno FROM dbstat WHERE name = ?').pluck().all(table);
  const size = db.pragma('page_size', { simple: true }) as number;
  db.close();
  expect(pages).not.toEqual([]);
  const handle = openSync(index, 'r+');
  for (const page of pages as number[]) {
    writeSync(handle, Buffer.alloc(size, 7), 0, size, (page - 1) * size);
  }
  closeSync(handle);
}

test.each<[string, (index: string) => void]>([
  ['missing', (index) => rmSync(index)],
  ['empty', (index) => writeFileSync(index, '')],
  ['not a database', (index) => writeFileSync(index, 'x'.repeat(10_000))],
  ['of another version', (index) => change(index, 'PRAGMA user_version = 99')],
  ['of another home', (index) => change(index, `UPDATE state SET home_id = 'another'`)],
  ['ahead of the store', (index) => change(index, 'UPDATE state SET watermark = 1000')],
  ['of another turn', (index) => change(index, `UPDATE state SET mark = '1 1 then'`)],
  ['ahead of the changes', (index) => change(index, 'UPDATE state SET changes = 1000')],
  ['without its table', (index) => change(index, 'DROP TABLE turn_index')],
  ['damaged in the lengths of its turns', (index) => overwrite(index, 'turn_index_docsize')],
  ['damaged in its words', (index) => overwrite(index, 'turn_index_data')],
  ['damaged in its settings', (index) => overwrite(index, 'turn_index_config')],
])('an index that is %s is made anew', (_, harm) =>
  withSearch(async (fixture) => {
    await filled(fixture);
    fixture.reopen(({ close, open }) => {
      close();
      for (const end of ['-wal', '-shm']) rmSync(fixture.index + end, { force: true });
      harm(fixture.index);
      open();
    });
    expect(fixture.excerpts('needle')).toEqual(['a needle']);
    expect(fixture.excerpts('hay')).toEqual(['no hay']);
  }),
);

test('an index that turns out to be damaged while it is asked is made anew', () =>
  withSearch(async (fixture) => {
    const row = await fixture.session('one');
    await fixture.say(row, ...Array.from({ length: 3000 }, (_, n) => `needle number${n} of many`));
    expect(fixture.search('number7')).toHaveLength(1);
    // All of it in the file itself, and next to nothing of it in memory.
    fixture.reopen();
    const { size } = statSync(fixture.index);
    const handle = openSync(fixture.index, 'r+');
    for (let at = 4096; at < size; at += 4096) {
      writeSync(handle, Buffer.alloc(4096, 7), 0, 4096, at);
    }
    closeSync(handle);
    for (const n of [7, 1500, 2999]) expect(fixture.search(`number${n}`)).toHaveLength(1);
  }));

test('a store that was put back from a copy gets an index of its own', () =>
  withSearch(async (fixture) => {
    const row = await filled(fixture);
    change(fixture.file, 'PRAGMA wal_checkpoint(TRUNCATE)');
    const copy = `${fixture.file}.copy`;
    copyFileSync(fixture.file, copy);
    await fixture.say(row, 'said after the copy');
    expect(fixture.excerpts('copy')).toEqual(['said after the copy']);
    const restored = createSearcher({ database: copy, index: fixture.index });
    try {
      while (restored.step());
      const scope = { agentId: 'default', project: null, sessionIds: null, rootId: null };
      const ask = (query: string) =>
        restored.search({
          query,
          scope: { ...scope, withoutId: null },
          limit: 5,
          bySession: false,
        });
      expect(ask('copy')).toEqual([]);
      expect(ask('needle')).toHaveLength(1);
    } finally {
      restored.close();
    }
  }));

test('turns that are deleted leave the index, and ids that are given again bring what has them now', () =>
  withSearch(async (fixture) => {
    const one = await filled(fixture);
    const two = await fixture.session('two');
    await fixture.say(two, 'second needle', 'third needle');
    expect(fixture.excerpts('needle')).toHaveLength(3);
    await fixture.store.write((tx) =>
      tx.db.run('DELETE FROM turns WHERE session_id = :id', { id: two.id }),
    );
    await fixture.say(one, 'fresh words');
    expect(fixture.excerpts('second OR third')).toEqual([]);
    expect(fixture.excerpts('fresh')).toEqual(['fresh words']);
    await fixture.say(one, 'more words');
    expect(fixture.excerpts('more')).toEqual(['more words']);
    await fixture.store.write((tx) =>
      tx.db.run('DELETE FROM sessions WHERE id = :id', { id: one.id }),
    );
    expect(fixture.excerpts('needle fresh words')).toEqual([]);
    fixture.reopen();
    expect(fixture.excerpts('needle fresh words')).toEqual([]);
  }));

test('more turns than are followed at once are deleted, and none of their words finds what has their ids now', () =>
  withSearch(async (fixture) => {
    const one = await filled(fixture);
    const two = await fixture.session('two');
    await fixture.say(two, ...Array.from({ length: 500 }, (_, n) => `second needle${n}`));
    expect(fixture.excerpts('second')).toHaveLength(10);
    await fixture.store.write((tx) =>
      tx.db.run('DELETE FROM turns WHERE session_id = :id', { id: two.id }),
    );
    expect(fixture.excerpts('second')).toEqual([]);
    await fixture.say(one, ...Array.from({ length: 500 }, (_, n) => `fresh word${n}`));
    expect(fixture.excerpts('fresh')).toHaveLength(10);
    expect(fixture.excerpts('second')).toEqual([]);
  }));

test('a session that is found to belong elsewhere is searched there, with what it has said before', () =>
  withSearch(async (fixture) => {
    const child = await filled(fixture);
    const root = await fixture.session('root');
    expect(fixture.excerpts('needle', { rootId: root.id })).toEqual([]);
    await fixture.store.write((tx) => {
      insertLineage(tx, child, root, 'explicit');
      registerSession(tx, {
        agentId: 'default',
        sessionKey: 'one',
        harness: null,
        project: '/p',
        title: null,
      });
    });
    expect(fixture.excerpts('needle', { rootId: root.id })).toEqual(['a needle']);
    expect(fixture.excerpts('needle', { project: '/p' })).toEqual(['a needle']);
    expect(fixture.excerpts('needle', { rootId: child.id })).toEqual([]);
    await fixture.store.write((tx) => tx.db.run('DELETE FROM lineage'));
    expect(fixture.excerpts('needle', { rootId: child.id })).toEqual(['a needle']);
  }));

test('of a long turn the beginning and the end are searched, and the excerpt is cut from the whole', () =>
  withSearch(async (fixture) => {
    const row = await fixture.session('one');
    const filler = 'hay '.repeat(30_000);
    await fixture.say(row, `alpha ${filler} omega ${filler} zulu 🙂`);
    expect(fixture.search('omega')).toEqual([]);
    const [hit] = fixture.search('zulu alpha');
    expect(hit!.excerpt.length).toBeLessThan(400);
    const last = fixture.search('zulu')[0]!;
    expect(last.excerpt).toMatch(/^….*zulu 🙂$/u);
    expect(last.offsets).toEqual([{ start: 240_014, end: 240_018 }]);
  }));

test('what tools were asked and answered is found, also when it comes later', () =>
  withSearch(async (fixture) => {
    const row = await fixture.session('one');
    const tools = [
      { kind: 'call', id: '1', name: 'Bash', text: 'grep -r quagga .', isError: false },
      { kind: 'result', id: '1', name: null, text: 'ospfd.conf: quagga', isError: false },
    ];
    await fixture.say(row, ['assistant', 'I look for it'], ['tool', '']);
    expect(fixture.search('quagga')).toEqual([]);
    await fixture.store.write((tx) =>
      tx.db.run('UPDATE turns SET tools = :tools', { tools: JSON.stringify(tools) }),
    );
    expect(fixture.excerpts('quagga ospfd').toSorted()).toEqual([
      'Bash grep -r quagga .\nospfd.conf: quagga',
      'I look for it\nBash grep -r quagga .\nospfd.conf: quagga',
    ]);
  }));

test.each<[string, ToolUse[]]>([
  ['a call', [call('1', 'Bash', 'grep quagga ')]],
  ['a call of nothing', [call('1', 'quagga', '')]],
  ['a call of no name', [call('1', null, 'quagga')]],
  ['a result', [result('1', null, 'ospfd.conf: quagga\n', false)]],
  ['a result with its name', [result('1', 'read_file', 'ospfd.conf: quagga', false)]],
  ['both', [call('1', 'Bash', 'grep quagga'), result('1', 'Bash', 'here is quagga', false)]],
])('a turn of tools alone says it once, where it is %s', (_, tools) =>
  withSearch(async (fixture) => {
    const { id } = await fixture.session('one');
    const { text } = message('assistant', { text: '', tools }, { at: null, id: null });
    await fixture.store.write((tx) =>
      appendTurns(tx, id, [{ role: 'tool', text, tools: JSON.stringify(tools) }]),
    );
    expect(fixture.excerpts('quagga')).toEqual([text]);
  }),
);

test('no secret is shown, and offsets are those of what is shown', () =>
  withSearch(async (fixture) => {
    const row = await fixture.session('one');
    await fixture.say(row, `the key AKIAIOSFODNN7EXAMPLE is of the deploy user`);
    const [hit] = fixture.search('deploy user');
    expect(hit!.excerpt).not.toContain('AKIA');
    expect(hit!.offsets.map(({ start, end }) => hit!.excerpt.slice(start, end))).toEqual([
      'deploy',
      'user',
    ]);
  }));

test('an index that is made anew is one piece, and gives back the room that merging took', () =>
  withSearch(async (fixture) => {
    const row = await fixture.session('one');
    // Twice what one step takes: the last step does not know that it is the last.
    await fixture.store.write(({ db }) =>
      db.run(
        `INSERT INTO turns (session_id, seq, role, at, text)
         WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 40000)
         SELECT :session, n, 'user', '2026-11-19T00:00:00.000Z', 'needle number' || n FROM n`,
        { session: row.id },
      ),
    );
    expect(fixture.search('number39999')).toHaveLength(1);
    const db = new BetterSqlite3(fixture.index, { readonly: true });
    const one = (sql: string) => db.prepare(sql).pluck().get();
    // The upper bits of an id are its piece; below 2 ** 37 are the index's own notes.
    const pieces = one('SELECT count(DISTINCT id >> 37) FROM turn_index_data WHERE id >> 37 > 0');
    const free = db.pragma('freelist_count', { simple: true });
    db.close();
    expect({ pieces, free }).toEqual({ pieces: 1, free: 0 });
  }));

test('an index that is only opened is not written to', () =>
  withSearch(async (fixture) => {
    await filled(fixture);
    fixture.reopen(({ close, open }) => {
      close();
      const index = openIndex(fixture.index, fixture.store.db);
      const wal = `${fixture.index}-wal`;
      expect(existsSync(wal) ? statSync(wal).size : 0).toBe(0);
      index.close();
      open();
    });
  }));

test('an index that cannot be made leaves no lock and no handle behind', () =>
  withSearch(({ store, index: known }) => {
    const file = `${known}-of-its-own`;
    const no = () => {
      throw new Error('no room');
    };
    expect(() => openIndex(file, { ...store.db, get: no })).toThrow('no room');
    const db = new BetterSqlite3(file, { timeout: 0 });
    expect(() => db.exec('BEGIN IMMEDIATE')).not.toThrow();
    db.close();
    return Promise.resolve();
  }));
