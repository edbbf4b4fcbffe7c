import { chmodSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { expect, test } from '@jest/globals';
import { hints } from '../../contract/hints.ts';
import { homePaths } from '../../contract/home.ts';
import type { StoreCheck } from '../../contract/system-records.ts';
import { takeHome } from '../../engine/home-lock.ts';
import { writePidFile } from '../../engine/pid-file.ts';
import { identifyProcess } from '../../engine/process-identity.ts';
import { openStore } from '../../store/index.ts';
import { answerJson, answerProblem, withFakeServer } from '../client/fake-server.ts';
import { withFolder } from '../support/folder.ts';
import { cli, now } from './cli-harness.ts';
import { findings, health, named, sound, withServer, type Found } from './doctor-fixture.ts';

test('doctor is content when all is well', async () => {
  await withServer({}, async (run) => {
    const well = await run();
    expect(well.exitCode).toBe(0);
    expect(well.out).toContain('✓ store          1.2 MB, sound, schema 12');
    expect(well.out).not.toContain('✗');
  });
  // What has grown for good, and what is begun anew by itself.
  await withServer({ check: { ...sound, walBytes: 4_100_000 } }, async (run) => {
    expect((await run()).out).toContain(
      '✓ store          1.2 MB and a WAL of 4.1 MB, sound, schema 12',
    );
  });
});

test('every finding says what, why and what to do; an error ends with 1, a warning does not', async () => {
  const ill = { ...health, outbox: { rows: 3, oldestSeconds: 90 }, hosts: [] };
  await withServer({ health: ill }, async (run, paths) => {
    chmodSync(paths.token, 0o644);
    writeFileSync(paths.configFiles[1], '{"runers":{}}');
    const told = await run();
    expect(told.exitCode).toBe(1);
    expect(told.out).toContain('none is live');
    expect(told.out).toContain('3 waiting to reach the engine, the oldest for 1 min 30 s');
    expect(told.out).toContain(`others can read ${paths.token} (0644)`);
    expect(told.out).toContain(`→ chmod 0600 '${paths.token}'`);
    expect(told.out).toContain('runers: is not a known key');
    const bad = (await findings(run('--json'))).filter(({ level }) => level !== 'ok');
    expect(bad.length).toBeGreaterThan(3);
    for (const one of bad) {
      expect(one).toMatchObject({ what: expect.any(String), why: expect.any(String) });
      expect(one.remedy).toEqual(expect.any(String));
    }
  });
  const warned = { ...sound, walBytes: 400_000_000 };
  await withServer({ check: warned }, async (run) => {
    const told = await run();
    expect(told.exitCode).toBe(0);
    expect(told.out).toContain('! WAL');
  });
});

test.each<[string, Partial<StoreCheck>, string, string]>([
  ['damage', { problems: ['row 1 missing', 'row 2'] }, 'store', 'row 1 missing (and 1 more)'],
  ['a newer schema', { schema: 13 }, 'store', 'has schema 13, and this Offshoot knows 12'],
  ['a WAL that grew', { walBytes: 400_000_000 }, 'WAL', '400 MB'],
  [
    'stale claims',
    { staleClaims: [{ invocationId: 'sub_1', runNo: 1, hostId: 'far' }] },
    'claims',
    'sub_1 on far',
  ],
  ['another clock', { now: new Date(now - 60_000).toISOString() }, 'clock', '1 min 00 s behind'],
  ['a later clock', { now: new Date(now + 60_000).toISOString() }, 'clock', '1 min 00 s ahead of'],
  [
    'a clock that was set back',
    { newestAt: new Date(now + 3_600_000).toISOString() },
    'clock jump',
    '1 h 00 min ahead of now',
  ],
])('doctor sees %s in the store', async (_, check, name, words) => {
  await withServer({ check: { ...sound, ...check } }, async (run) => {
    const found = named(await findings(run('--json')), name).filter(({ level }) => level !== 'ok');
    expect(found).toHaveLength(1);
    expect(found[0]!.what).toContain(words);
  });
  await withServer({}, async (run) => {
    const found = named(await findings(run('--json')), name).filter(({ level }) => level !== 'ok');
    expect(found).toEqual([]);
  });
});

test('--fix takes the rights of others away, removes files of processes that are gone, and looks again', async () => {
  await withServer({}, async (run, paths) => {
    const { secret, home, serverPidFile, engineFile } = paths;
    chmodSync(secret, 0o640);
    chmodSync(home, 0o755);
    const gone = { pid: 999_999_999, start: 'then' };
    for (const file of [serverPidFile, engineFile]) writePidFile(file, gone);
    writePidFile(paths.hostPidFile, identifyProcess(process.pid)!);
    const before = await run();
    expect(before.exitCode).toBe(1);
    expect(before.out).toContain(`${serverPidFile}: the process named there is gone`);
    const mended = await run('--fix', '--json');
    expect(mended.exitCode).toBe(0);
    expect((JSON.parse(mended.out) as { fixed: string[] }).fixed).toHaveLength(3);
    expect(statSync(secret).mode & 0o777).toBe(0o600);
    expect(statSync(home).mode & 0o777).toBe(0o700);
    expect(statSync(serverPidFile, { throwIfNoEntry: false })).toBeUndefined();
    // Of a process that lives, and of the engine, from which the next start takes its ports.
    for (const file of [paths.hostPidFile, engineFile]) expect(statSync(file).isFile()).toBe(true);
    expect((await run()).exitCode).toBe(0);
  });
});

test('doctor says how old the last backup is, and warns when it is too old', async () => {
  await withServer({}, async (run, { backups }) => {
    mkdirSync(backups, { mode: 0o700 });
    const put = (stamp: string) => writeFileSync(join(backups, `main-${stamp}-000Z.db`), '');
    // Of a clock that was wrong: it does not say when.
    put('2099-01-01T00-00-00');
    put('2025-12-29T00-00-00');
    const [old] = named(await findings(run('--json')), 'backups');
    expect(old).toMatchObject({ level: 'warning', what: expect.stringContaining('3 d ago') });
    put('2026-01-01T00-00-00');
    const [fresh] = named(await findings(run('--json')), 'backups');
    expect(fresh).toMatchObject({ level: 'ok', what: expect.stringContaining('1 h ago') });
  });
});

test.each(['/api/health', '/api/store/check'])(
  'a refusal of %s is a finding with a remedy, also where the server has none, and never in words of HTTP',
  async (path) => {
    for (const hint of [null, hints.token.http]) {
      const run = await withFakeServer(
        ({ url }, response) => {
          if (url === path) answerProblem(response, 500, 'internal', hint);
          else answerJson(response, url === '/api/health' ? health : { runners: [] });
        },
        ({ url }) => withFolder((home) => cli(['doctor', '--json'], { url, home })),
      );
      const [told] = (JSON.parse(run.out) as { findings: Found[] }).findings.filter(({ what }) =>
        what.includes('It is internal.'),
      );
      expect(told).toMatchObject({ why: expect.any(String), remedy: expect.any(String) });
      if (hint !== null) expect(told!.remedy).toBe(hints.token.cli);
    }
  },
);

test('what has waited for the engine for long is told while nothing runs, too', async () => {
  await withFolder(async (home) => {
    const { database } = homePaths(home);
    await openStore(database, { checkpoints: false }).close();
    const put = (...secondsAgo: number[]) => {
      const db = new BetterSqlite3(database);
      db.exec('DELETE FROM outbox');
      const insert = db.prepare(
        `INSERT INTO outbox (kind, workflow_id, created_at, due_at) VALUES ('poke', 'w', ?, ?)`,
      );
      for (const seconds of secondsAgo) {
        const at = new Date(now - seconds * 1000).toISOString();
        insert.run(at, at);
      }
      db.close();
    };
    const outbox = async () => named(await findings(cli(['doctor', '--json'], { home })), 'outbox');
    put(20);
    expect(await outbox()).toEqual([]);
    put(90, 20);
    expect(await outbox()).toMatchObject([
      {
        level: 'warning',
        what: '2 waiting to reach the engine, the oldest for 1 min 30 s',
        remedy: 'offshoot up',
      },
    ]);
  });
});

test('while nothing runs the store is read all the same; damage is told, and the exit code is 4', async () => {
  await withFolder(async (home) => {
    const { database } = homePaths(home);
    await openStore(database, { checkpoints: false }).close();
    const whole = await findings(cli(['doctor', '--json'], { home }));
    expect(named(whole, 'server')).toMatchObject([{ level: 'error' }]);
    expect(named(whole, 'store')).toMatchObject([{ level: 'ok' }]);
    const release = takeHome(home);
    const [taken] = named(await findings(cli(['doctor', '--json'], { home })), 'store');
    expect(taken!.what).toContain(`is in use by offshoot server, pid ${process.pid}`);
    release();
    writeFileSync(database, 'x'.repeat(10_000));
    const run = await cli(['doctor'], { home });
    expect(run.exitCode).toBe(4);
    expect(run.out).toContain(`${database} is damaged: file is not a database`);
    expect(run.out).toContain('→ Start it with `offshoot up`.');
  });
});

test('a WAL that a kill has left is told, and --fix folds it in', async () => {
  await withFolder(async (home) => {
    const { database } = homePaths(home);
    await openStore(database, { checkpoints: false }).close();
    const db = new BetterSqlite3(database);
    db.pragma('wal_autocheckpoint = 0');
    const reader = new BetterSqlite3(database, { readonly: true });
    const put = db.prepare('INSERT INTO meta VALUES (?, zeroblob(30000000))');
    for (let n = 0; n < 3; n += 1) put.run(`big ${n}`);
    reader.prepare('SELECT 1 FROM meta').get();
    // The reader keeps the last one from folding it in when it closes, as a kill would.
    db.close();
    const wal = () => statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    expect(wal()).toBeGreaterThan(80_000_000);
    const [told] = named(await findings(cli(['doctor', '--json'], { home })), 'WAL');
    expect(told).toMatchObject({ level: 'warning', canFix: true });
    reader.close();
    const mended = await cli(['doctor', '--fix', '--json'], { home });
    expect((JSON.parse(mended.out) as { fixed: string[] }).fixed).toContain(
      'the WAL is folded into the database',
    );
    expect(wal()).toBe(0);
    expect(named((JSON.parse(mended.out) as { findings: Found[] }).findings, 'WAL')).toEqual([]);
  });
});

test('a home that is not there is named', async () => {
  const run = await cli(['doctor'], { home: '/nonexistent/home' });
  expect(run.exitCode).toBe(4);
  expect(run.out).toContain('there is no /nonexistent/home');
});

test('a server file that was left behind does not hold doctor up', async () => {
  await withFolder(async (home) => {
    const { serverFile, token: tokenFile } = homePaths(home);
    writeFileSync(tokenFile, 'x', { mode: 0o600 });
    const temporal = { address: null, namespace: 'default', uiUrl: null };
    const left = { url: 'http://127.0.0.1:1', pid: 999_999_999, tokenFile, temporal };
    writeFileSync(serverFile, JSON.stringify(left));
    const startedAt = Date.now();
    const run = await cli(['doctor'], { home });
    expect(run.out).toContain('does not answer');
    expect(run.out).toContain('Agents that run go on');
    expect(run.out).toContain(`${serverFile}: the process named there is gone`);
    // For a server that may come back a client waits half a minute.
    expect(Date.now() - startedAt).toBeLessThan(20_000);
    rmSync(serverFile);
  });
});

test('a stack without a launcher is a warning: what ends now is not started again', async () => {
  await withServer({}, async (run, { serverPidFile, launcherFile }) => {
    writePidFile(serverPidFile, identifyProcess(process.pid)!);
    expect(named(await findings(run('--json')), 'launcher')).toMatchObject([
      { level: 'warning', remedy: 'offshoot up --detach takes over what runs', canFix: false },
    ]);
    writePidFile(launcherFile, identifyProcess(process.pid)!);
    expect(named(await findings(run('--json')), 'launcher')).toEqual([]);
  });
});
