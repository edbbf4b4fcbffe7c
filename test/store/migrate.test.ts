import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { expect, test } from '@jest/globals';
import { openStore } from '../../store/index.ts';
import { migrationNames, olderDatabase, version } from './older-database.ts';

function withFile(use: (file: string) => void | Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'offshoot-migrate-'));
  return Promise.resolve(use(join(folder, 'main.db'))).finally(() =>
    rmSync(folder, { recursive: true, force: true }),
  );
}

test('migrations are numbered without a gap', () => {
  expect(migrationNames.map((name) => name.slice(0, 4))).toEqual(
    migrationNames.map((_, index) => `${index + 1}`.padStart(4, '0')),
  );
});

test('a new database has every migration, and opening it again changes nothing', async () => {
  await withFile(async (file) => {
    const first = openStore(file, { checkpoints: false });
    const { homeId } = first;
    await first.close();
    expect(version(file)).toBe(migrationNames.length);
    const second = openStore(file, { checkpoints: false });
    expect(second.homeId).toBe(homeId);
    await second.close();
  });
});

test('a newer database is refused by name, with what to do, and is not touched', async () => {
  await withFile(async (file) => {
    await openStore(file, { checkpoints: false }).close();
    const db = new BetterSqlite3(file);
    db.pragma(`user_version = ${migrationNames.length + 1}`);
    db.close();
    expect(() => openStore(file, { checkpoints: false })).toThrow(
      expect.objectContaining({
        code: 'database_newer',
        message: expect.stringContaining(file),
        hint: expect.stringContaining('Update Offshoot'),
      }),
    );
    // Whoever was refused has closed the file again.
    expect(existsSync(`${file}-wal`)).toBe(false);
    expect(version(file)).toBe(migrationNames.length + 1);
  });
});

test('an older database is copied as it was before it is upgraded', async () => {
  await withFile(async (file) => {
    olderDatabase(file, 3);
    await openStore(file, { checkpoints: false }).close();
    expect(version(file)).toBe(migrationNames.length);
    const copies = readdirSync(join(file, '..')).filter((name) => name.startsWith('main.db.'));
    expect(copies).toHaveLength(1);
    const copy = new BetterSqlite3(join(file, '..', copies[0]!), { readonly: true });
    expect(copy.pragma('user_version', { simple: true })).toBe(3);
    expect(copy.prepare('SELECT id FROM agents').all()).toEqual([{ id: 'old' }]);
    copy.close();
  });
});

test('a copy that was cut short by a kill is not taken for one', async () => {
  await withFile(async (file) => {
    olderDatabase(file, 3);
    await openStore(file, { checkpoints: false }).close();
    const name = readdirSync(join(file, '..')).find((one) => one.startsWith('main.db.'))!;
    const copy = join(file, '..', name);
    rmSync(file);
    writeFileSync(copy, 'half a copy');
    olderDatabase(file, 3);
    await openStore(file, { checkpoints: false }).close();
    expect(version(copy)).toBe(3);
  });
});

test('waits are calls, and none of them outlives the server', async () => {
  await withFile(async (file) => {
    const first = openStore(file, { checkpoints: false });
    first.db.exec(`PRAGMA foreign_keys = OFF;
      INSERT INTO waits (wait_id, waiter_id, invocation_id, until) VALUES ('w', 'a', 'b', 'all')`);
    await first.close();
    const second = openStore(file, { checkpoints: false });
    expect(second.db.all('SELECT * FROM waits')).toEqual([]);
    await second.close();
  });
});

test('what was kept before names had one form is kept in it', async () => {
  await withFile(async (file) => {
    olderDatabase(file, 27);
    const db = new BetterSqlite3(file);
    const add = db.prepare(
      `INSERT INTO sessions (agent_id, session_key, kind, harness, project, last_seq, created_at, updated_at)
       VALUES ('old', ?, 'external', ?, ?, ?, '', '')`,
    );
    add.run('a', 'copilot', '/q/', 1);
    add.run('b', 'Claude_Code', '/q//', 0);
    add.run('c', 'my_agent', '/', 0);
    add.run('d', null, null, 0);
    add.run('session:e', 'gemini', '//', 0);
    add.run('session:d', 'codex-cli', '/q/d', 0);
    add.run('session:', 'claude', '/', 0);
    add.run('session:root', 'opencode', '/', 0);
    add.run('child', 'opencode', '/', 0);
    db.exec(`INSERT INTO lineage (session_id, parent_session_id, root_session_id, depth, rule, at)
             VALUES (9, 8, 8, 1, 'explicit', '')`);
    db.close();
    const store = openStore(file, { checkpoints: false });
    const rows = store.db.all<Record<string, string | null>>(
      'SELECT session_key, harness, project FROM sessions ORDER BY id',
    );
    expect(rows.map((row) => Object.values(row).join(' '))).toEqual([
      ...['a copilot-cli /q', 'b claude-code /q', 'c my_agent /', 'd  ', 'e gemini-cli /'],
      ...['session:d codex /q/d', 'session: claude-code /', 'session:root opencode /'],
      'child opencode /',
    ]);
    // The index hears that the turns of a session belong elsewhere.
    const told = store.db.all('SELECT session_id FROM search_changes WHERE session_id IS NOT NULL');
    expect(told).toEqual([{ session_id: 1 }]);
    await store.close();
  });
});

test('versions that nobody reads are gone', async () => {
  await withFile(async (file) => {
    olderDatabase(file, 28);
    const db = new BetterSqlite3(file);
    db.exec(
      `INSERT INTO meta (key, value) VALUES ('entity_names old', 'x'), ('entities old', 'y')`,
    );
    db.close();
    const store = openStore(file, { checkpoints: false });
    expect(store.db.all(`SELECT key FROM meta WHERE key LIKE 'ent%'`)).toEqual([
      { key: 'entities old' },
    ]);
    await store.close();
  });
});
