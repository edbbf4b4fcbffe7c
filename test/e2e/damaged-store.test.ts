/** A damaged database, from the command line: told once with the way back, which then leads back. */
import { expect, test } from '@jest/globals';
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { homePaths } from '../../contract/home.ts';
import { identifyProcess } from '../../engine/process-identity.ts';
import { runners } from './agents.ts';
import { offshoot } from './commands.ts';
import { startDetachedStack } from './detached-stack.ts';
import { until } from './stack.ts';

test('a damaged database is told at the first start with what to do, and that leads back', async () => {
  const stack = await startDetachedStack({ runners });
  try {
    const asked = { runnerId: 'sh', prompt: 'echo kept', executionMode: 'SYNC' } as const;
    const { id } = await stack.client.call('runSubagent', asked);
    const backup = await stack.client.call('takeBackup', {});
    await stack.down();
    const paths = homePaths(stack.home);
    const content = readFileSync(paths.database);
    writeFileSync(paths.database, content.fill(0, 0, 4096));
    const logBefore = readFileSync(join(paths.logs, 'server.log'), 'utf8').length;

    const env = { OFFSHOOT_HOME: stack.home };
    const up = await offshoot(['up', '--detach'], { env });
    expect(up.code).toBe(5);
    expect(up.stderr).toContain(`${paths.database}: the database is damaged`);
    expect(up.stderr).toContain('offshoot restore');
    expect(up.stderr).not.toMatch(/^\s+at /m);
    const said = readFileSync(join(paths.logs, 'server.log'), 'utf8').slice(logBefore);
    expect(said.match(/is damaged/g)).toHaveLength(1);
    expect(said).not.toMatch(/^\s+at /m);
    expect(readFileSync(paths.database).equals(content)).toBe(true);

    const doctor = await offshoot(['doctor'], { env });
    expect(doctor.stdout).toContain(`${paths.database} is damaged`);
    const restored = await offshoot(['restore', backup.file], { env });
    expect(restored.code).toBe(0);
    expect(readdirSync(stack.home).filter((name) => /replaced/.test(name))).not.toEqual([]);
    await stack.up();
    expect((await stack.client.call('getSubagent', { id })).result?.content).toBe('kept');
  } finally {
    await stack.remove();
  }
}, 120_000);

test('a database that is deleted under a running server ends it with all that was accepted kept, and no empty one is begun', async () => {
  const stack = await startDetachedStack({ runners });
  try {
    const paths = homePaths(stack.home);
    const env = { OFFSHOOT_HOME: stack.home };
    const server = stack.pid('server');
    for (const end of ['', '-wal', '-shm']) rmSync(paths.database + end);
    const asked = { runnerId: 'sh', prompt: 'echo kept', executionMode: 'SYNC' } as const;
    // Accepted before anybody has looked.
    const { id } = await stack.client.call('runSubagent', asked);
    await until(
      () => Promise.resolve(identifyProcess(server)),
      (found) => found === null,
      15,
    );
    const log = () => readFileSync(join(paths.logs, 'server.log'), 'utf8');
    expect(log()).toContain(`${paths.database}: the database was deleted under a running server`);
    const launcherLog = () => readFileSync(join(paths.logs, 'launcher.log'), 'utf8');
    await until(
      () => Promise.resolve(launcherLog()),
      (said) => said.includes('deleted under a running server'),
      15,
    );

    await stack.down();
    const up = await offshoot(['up', '--detach'], { env });
    expect(up.code).toBe(5);
    expect(up.stderr).toContain(`${paths.database} is gone`);
    expect(readdirSync(stack.home)).not.toContain('main.db');
    const doctor = await offshoot(['doctor'], { env });
    expect(doctor.code).toBe(4);
    expect(doctor.stdout).toContain(`${paths.database} is gone`);
    const [rescued] = readdirSync(paths.backups);
    expect(log()).toContain(`offshoot restore ${join(paths.backups, rescued!)}`);
    expect((await offshoot(['restore', join(paths.backups, rescued!)], { env })).code).toBe(0);
    await stack.up();
    expect((await stack.client.call('getSubagent', { id })).result?.content).toBe('kept');
  } finally {
    await stack.remove();
  }
}, 120_000);
