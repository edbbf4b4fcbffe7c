import { expect, test } from '@jest/globals';
import { verifyToken } from '../../domain/token.ts';
import { AppError } from '../../contract/errors.ts';
import { isHostWelcome } from '../../operations/index.ts';
import { refusal, withOperations, type Room } from './operations-fixture.ts';
import { createHost } from './test-host.ts';

const issue = async (room: Room, hostId = 'box') => {
  const { token } = await room.ask('issueHostToken', { hostId });
  return verifyToken(room.deps.secret, token)!;
};

test("a host has one token: a new one replaces it, and revoking takes it away; the local host's needs none", async () => {
  await withOperations(async (room) => {
    const first = await issue(room);
    expect(first).toMatchObject({ role: 'host', hostId: 'box' });
    expect(isHostWelcome(room.deps, first)).toBe(true);
    const second = await issue(room);
    const other = await issue(room, 'other');
    const welcome = () => [first, second, other].map((one) => isHostWelcome(room.deps, one));
    expect(welcome()).toEqual([false, true, true]);
    await room.ask('revokeHostToken', { hostId: 'box' });
    expect(welcome()).toEqual([false, false, true]);
    expect(isHostWelcome(room.deps, { role: 'host', hostId: 'box' })).toBe(false);
    expect(isHostWelcome(room.deps, { role: 'host', hostId: 'local' })).toBe(true);
    expect(await refusal(room.ask('revokeHostToken', { hostId: 'box' }))).toBe('not_found');
  });
});

test('an agent can neither make nor revoke a token of a host', async () => {
  await withOperations(async (room) => {
    const { id } = await room.start();
    const child = room.child(id);
    expect(await refusal(room.ask('issueHostToken', { hostId: 'box' }, child))).toBe('forbidden');
    expect(await refusal(room.ask('revokeHostToken', { hostId: 'box' }, child))).toBe('forbidden');
  });
});

test('what a revoked host had not begun goes elsewhere at once; it is shown until its last run is over', async () => {
  await withOperations(
    async (room) => {
      await issue(room);
      const box = createHost(room.deps, 'box', 'boot-box');
      await box.hello(9);
      const running = await box.claim((await room.start()).id);
      const { id } = await room.start();
      expect(room.row(id).host_id).toBe('box');
      await room.ask('revokeHostToken', { hostId: 'box' });
      expect(room.row(id).host_id).toBe('local');
      const shown = async () => (await room.ask('getHealth', {})).hosts.map((host) => host.id);
      expect(await shown()).toEqual(['box', 'local']);
      await room.ask('cancelSubagent', { id: running.invocationId });
      await box.end(running, 'stopped');
      expect(await shown()).toEqual(['local']);
    },
    { slots: 1 },
  );
});

test('a host that comes while the configuration has a mistake is taken in by what held before', async () => {
  await withOperations(async (room) => {
    room.deps.config = () => {
      throw new AppError('config_invalid', 'a mistake');
    };
    expect(await room.host.hello()).toMatchObject({ ceiling: 24 });
  });
});
