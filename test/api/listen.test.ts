import { networkInterfaces } from 'node:os';
import { expect, test } from '@jest/globals';
import { listen, ownHosts } from '../../api/listen.ts';
import { homePaths } from '../../contract/home.ts';
import { withFolder } from '../support/folder.ts';

test('a server is called by the address it listens on, and by the names that the configuration gives', () => {
  const at = (address: string) => ownHosts({ port: 8464, address }, ['agents.example']);
  expect(at('10.0.0.1')).toEqual(['10.0.0.1:8464', 'agents.example']);
  expect(at('fd00::1')).toEqual(['[fd00::1]:8464', 'agents.example']);
  const all = Object.values(networkInterfaces()).flatMap((some) => some ?? []);
  expect(at('0.0.0.0')).toHaveLength(all.length + 1);
  expect(at('0.0.0.0')).not.toContain('0.0.0.0:8464');
});

test('an address that this machine does not have is named, and nothing stays open', () =>
  withFolder(async (home) => {
    const paths = homePaths(home);
    // From a range that is kept for documents.
    const wrong = listen(() => new Response(), { port: 0, address: '192.0.2.1' }, paths);
    await expect(wrong).rejects.toMatchObject({
      code: 'config_invalid',
      message: 'this machine has no address 192.0.2.1',
    });
  }));

test('listening on all addresses holds for loopback, too', () =>
  withFolder(async (home) => {
    // Another address of loopback stands for all others: on Linux each is this machine's own.
    const answer = () => new Response('here');
    const listening = await listen(answer, { port: 0, address: '0.0.0.0' }, homePaths(home));
    try {
      for (const address of ['127.0.0.1', '127.0.0.2']) {
        const response = await fetch(`http://${address}:${listening.port}/`);
        expect(await response.text()).toBe('here');
      }
      expect(listening.remoteUrl).toBe(`http://0.0.0.0:${listening.port}`);
    } finally {
      await listening.close();
    }
  }));

test('one more address may be another one of loopback; the one that it listens on anyway is none', () =>
  withFolder(async (home) => {
    const answer = () => new Response('here');
    const isHeard = (address: string, port: number) =>
      fetch(`http://${address}:${port}/`).then(
        () => true,
        () => false,
      );
    for (const [address, isMore] of [
      ['127.0.0.2', true],
      ['127.0.0.1', false],
    ] as const) {
      const { port, remoteUrl, close } = await listen(
        answer,
        { port: 0, address },
        homePaths(home),
      );
      try {
        expect(remoteUrl).toBe(isMore ? `http://${address}:${port}` : null);
        expect([await isHeard('127.0.0.1', port), await isHeard('127.0.0.2', port)]).toEqual([
          true,
          isMore,
        ]);
      } finally {
        await close();
      }
    }
  }));
