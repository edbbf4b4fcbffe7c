import { expect, test } from '@jest/globals';
import { answerJson, withFakeServer } from '../client/fake-server.ts';
import { cli } from './cli-harness.ts';

const made = {
  token: 'off_x.y',
  role: 'agent',
  agentId: 'alice',
  project: '/work/here',
  permissions: ['recall'],
  expiresAt: '2026-01-02T00:00:00.000Z',
};

test('token create prints the token alone, and tells aside what it is for and until when', () =>
  withFakeServer(
    (_, response) => answerJson(response, made),
    async ({ url, seen }) => {
      const asked = ['token', 'create', '--role', 'agent', '--agent', 'alice'];
      const bounds = ['-p', '.', '--permission', 'recall', '--ttl', '12h'];
      expect(await cli([...asked, ...bounds], { url })).toMatchObject({
        exitCode: 0,
        out: 'off_x.y\n',
        err: 'For alice in /work/here: recall, until 2026-01-02T00:00:00.000Z. It is not shown again.\n',
      });
      expect(seen[0]).toMatchObject({
        method: 'POST',
        url: '/api/tokens',
        body: {
          role: 'agent',
          agentId: 'alice',
          project: '/work/here',
          permissions: ['recall'],
          ttlSeconds: 43_200,
        },
      });
      const json = await cli([...asked, '--json'], { url });
      expect(seen[1]!.body).toEqual({ role: 'agent', agentId: 'alice' });
      expect(JSON.parse(json.out)).toEqual(made);
    },
  ));

test.each([
  [['--agent', 'alice']],
  [['--role', 'agent']],
  [['--role', 'admin', '--agent', 'alice']],
  [['--role', 'agent', '--agent', 'alice', '--permission', 'everything']],
  [['--role', 'agent', '--agent', 'alice', '--ttl', '12']],
])('token create %j is refused before anything is asked', (options) =>
  withFakeServer(
    (_, response) => answerJson(response, made),
    async ({ url, seen }) => {
      const run = await cli(['token', 'create', ...options], { url });
      expect(run).toMatchObject({ exitCode: 2, out: '' });
      expect(seen).toEqual([]);
    },
  ),
);
