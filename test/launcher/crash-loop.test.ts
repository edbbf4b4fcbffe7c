import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { ProcessName } from '../../launcher/events.ts';
import { launcherStatus } from '../../launcher/stop-launcher.ts';
import { fixture, until, withRoom } from './launcher-fixture.ts';

const pidOf = (home: string, name: ProcessName) =>
  launcherStatus(home).processes.find((process) => process.name === name)?.pid ?? 0;

test('a server that was up and cannot start again before the host is up ends the launcher, too', async () => {
  await withRoom(async (room) => {
    const host = join(room.home, 'host.mjs');
    writeFileSync(host, 'setInterval(() => {}, 1000)');
    const launcher = await room.launch({
      entry: (name) => (name === 'api' ? fixture('fake-server.mjs') : host),
      timing: { delayMsMin: 10 },
    });
    await until('the server is up', () => room.lines.includes('server: up'));
    writeFileSync(join(room.home, 'server-is-broken'), '');
    process.kill(pidOf(room.home, 'server'), 'SIGKILL');
    await until('the launcher has ended', () => launcherStatus(room.home).launcher === null);
    const refusal = {
      code: 'server_unavailable',
      message: 'the server ended 5 times in a row (exit code 4):\nthe database cannot be opened',
    };
    await expect(launcher.ready).rejects.toMatchObject(refusal);
    expect(await launcher.finished).toMatchObject(refusal);
    expect(pidOf(room.home, 'host')).toBe(0);
  });
});

test('once the stack was up a server is tried for ever, and the others live on', async () => {
  await withRoom(async (room) => {
    const launcher = await room.launch({ timing: { delayMsMin: 10, delayMsMax: 10 } });
    await launcher.ready;
    const host = pidOf(room.home, 'host');
    writeFileSync(join(room.home, 'server-is-broken'), '');
    process.kill(pidOf(room.home, 'server'), 'SIGKILL');
    const deaths = () => room.lines.filter((line) => line.startsWith('server: ended'));
    await until('more deaths than a crash loop has', () => deaths().length > 6);
    rmSync(join(room.home, 'server-is-broken'));
    await until('it is up', () => room.lines.filter((line) => line === 'server: up').length === 2);
    expect(pidOf(room.home, 'host')).toBe(host);
    await launcher.stop();
  });
});
