/** What `doctor` and `status` say of runner hosts that are not live. */
import { expect, test } from '@jest/globals';
import { renderStatus } from '../../cli/render/stack.ts';
import { createStyle } from '../../cli/render/style.ts';
import { findings, health, named, withServer } from './doctor-fixture.ts';

const local = health.hosts[0]!;
const stopped = { live: false, stopped: true, busy: 0 };
const away = { live: false, stopped: false };

const found = async (hosts: object[]) => {
  let all: Awaited<ReturnType<typeof findings>> = [];
  const told = { ...health, hosts: hosts.map((host) => ({ ...local, ...host })) };
  await withServer({ health: told }, async (run) => void (all = await findings(run('--json'))));
  return named(all, 'runner hosts')[0]!;
};

test('a host that has said goodbye is no warning, and one that fell silent is', async () => {
  expect(await found([{}, { id: 'box', ...stopped }])).toMatchObject({
    level: 'ok',
    what: 'local (2 of 4 busy); stopped: box',
  });
  expect(await found([{}, { id: 'box', ...away }, { id: 'far', ...stopped }])).toMatchObject({
    level: 'warning',
    what: 'local (2 of 4 busy); away: box; stopped: far',
    remedy: expect.stringMatching(/^start box there \(offshoot worker\), or .*--revoke$/),
  });
});

test('`offshoot up` is a remedy for the host of this machine alone', async () => {
  const up = 'offshoot up starts the one of this machine (host.log)';
  expect(await found([away, { id: 'box' }])).toMatchObject({ level: 'warning', remedy: up });
  expect(await found([])).toMatchObject({ level: 'error', remedy: up });
  expect(await found([{ id: 'box', ...stopped }])).toMatchObject({ level: 'error', remedy: up });
});

test('status tells a host that has stopped from one that is away', () => {
  const hosts = [stopped, away].map((host, n) => ({ ...local, ...host, id: `box${n}` }));
  const stack = {
    ...{ state: 'ready' as const, home: '/h', url: 'http://a', launcher: 5, processes: [] },
    remoteUrl: null,
    ...{ health: { ...health, hosts }, problem: null },
  };
  expect(renderStatus(stack, createStyle(false))).toMatch(
    /host box0 +stopped on box\n +host box1 +away on box, 2 of 4 busy\n/,
  );
});
