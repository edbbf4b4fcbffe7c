/** Hooks that nobody has taken yet, or that were set aside: somebody must hear of them. */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { findHookTarget } from '../../cli/hook/hook-target.ts';
import { openHookSpool } from '../../client/hook-spool.ts';
import { findings, named, withServer } from './doctor-fixture.ts';
import { cli, now } from './cli-harness.ts';
import { withFolder } from '../support/folder.ts';

const hook = { event: 'stop', request: {} };

/** As one that was kept so long ago. */
function keepAt(folder: string, minutesAgo: number): void {
  mkdirSync(folder, { recursive: true });
  const name = `${(now - minutesAgo * 60_000) * 1000}-aaaaaaaa-5.json`;
  writeFileSync(join(folder, name), '{"event":"stop","request":{}}');
}

test('of a home whose hooks were all sent, or wait since a minute, nothing is said', () =>
  withServer({}, async (run, { ownHookSpool }) => {
    expect(named(await findings(run('--json')), 'hooks')).toEqual([]);
    keepAt(ownHookSpool, 1);
    expect(named(await findings(run('--json')), 'hooks')).toEqual([]);
  }));

test('what waits for long is told with its age: a server that runs should have it by now', () =>
  withServer({}, async (run, { ownHookSpool }) => {
    for (const minutes of [11, 180]) keepAt(ownHookSpool, minutes);
    const [found] = named(await findings(run('--json')), 'hooks');
    expect(found).toMatchObject({
      level: 'warning',
      what: `2 kept hooks in ${ownHookSpool}, the oldest 3 h ago`,
      remedy: expect.stringContaining('server.log'),
    });
  }));

test('without a server they are sent by the next one', () =>
  withFolder(async (home) => {
    keepAt(join(home, 'spool', 'hooks'), 180);
    const [found] = named(await findings(cli(['doctor', '--json'], { home })), 'hooks');
    expect(found?.remedy).toContain('offshoot up');
  }));

test('each that is set aside is told by how many, where, why and what to do', () =>
  withServer({}, async (run, { ownHookSpool, home }) => {
    const own = openHookSpool(ownHookSpool);
    for (let n = 0; n < 4; n += 1) own.add(hook);
    const [deadly = '', locked = '', unreadable = '', counted = ''] = own.names();
    own.setAside([own.count(deadly, 2)!], 'deadly');
    own.setAside([locked], 'locked');
    renameSync(join(ownHookSpool, unreadable), join(ownHookSpool, `${unreadable}.unreadable`));
    own.remove(counted);
    const environment = { home: null, url: null, token: 'of a child', noHooks: null };
    const child = findHookTarget({ environment, home }).spool!;
    child.unsettled().add(hook);
    child.unsettled().add(hook);

    const found = named(await findings(run('--json')), 'hooks');
    expect(found.map(({ level }) => level)).toEqual(['warning', 'warning', 'warning', 'warning']);
    expect(
      found.map(({ what }) => what.replaceAll(home, '~').replace(/hooks-\w+/, 'hooks-x')),
    ).toEqual([
      '1 kept hook set aside in ~/spool/hooks, as `.locked`',
      '1 kept hook set aside in ~/spool/hooks, as `.deadly`',
      '1 kept hook set aside in ~/spool/hooks, as `.unreadable`',
      '2 kept hooks in ~/spool/hooks-x/unsettled until it is settled whose they are',
    ]);
    expect(found.every(({ why, remedy }) => why && remedy)).toBe(true);
  }));

test.each(['.', '..'])(
  'a spool that cannot be read is wrong: nothing can be kept there (%s)',
  (at) =>
    withServer({}, async (run, { ownHookSpool }) => {
      const path = join(ownHookSpool, at);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, '');
      const [found] = named(await findings(run('--json')), 'hooks');
      expect(found).toMatchObject({ level: 'error', what: expect.stringContaining('ENOTDIR') });
    }),
);
