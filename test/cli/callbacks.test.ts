import { expect, test } from '@jest/globals';
import { answerJson, recordOf, withFakeServer } from '../client/fake-server.ts';
import { cli } from './cli-harness.ts';

test('callbacks of the own session are shown, and acknowledged when asked', async () => {
  const callback = {
    id: 'cb_1',
    invocationId: 'sub_1',
    status: 'completed',
    state: 'queued',
    createdAt: '2026-01-01T00:00:00.000Z',
    envelope: '<agent-callback id="cb_1">\nhello\n</agent-callback>',
  };
  await withFakeServer(
    (request, response) =>
      request.method === 'GET'
        ? answerJson(response, { callbacks: [callback], remaining: 2 })
        : answerJson(response, { acknowledged: ['cb_1'] }),
    async ({ url, seen }) => {
      const env = { AGENT_SESSION_ID: 'mine' };
      const run = await cli(['callbacks', '--ack'], { url, env });
      expect(run).toMatchObject({ exitCode: 0, out: `${callback.envelope}\n` });
      expect(run.err).toContain('2 more come after these');
      expect(seen.map((one) => one.url)).toEqual([
        '/api/sessions/mine/callbacks?status=open',
        '/api/sessions/mine/callbacks/ack',
      ]);
      seen.length = 0;
      // The environment names a session by its key, whatever that looks like.
      await cli(['callbacks'], { url, env: { AGENT_SESSION_ID: 'sub_mine' } });
      expect(seen.map((one) => one.url)).toEqual(['/api/sessions/sub_mine/callbacks?status=open']);
      seen.length = 0;
      await cli(['callbacks', 'main', '--ack', '--agent', 'b'], { url });
      expect(seen.map((one) => [one.url, one.body])).toEqual([
        ['/api/sessions/main/callbacks?agentId=b&status=open', null],
        ['/api/sessions/main/callbacks/ack', { ids: ['cb_1'], agentId: 'b' }],
      ]);
      expect((await cli(['callbacks'], { url })).exitCode).toBe(2);
      const seenByPerson = await cli(['callbacks', 'my key', '-s', 'all'], {
        url,
        isTerminal: true,
      });
      expect(seenByPerson.err).toContain(
        "Once they are read: offshoot callbacks 'my key' -s all --ack\n",
      );
      // Among all they stay where they are, acknowledged or not.
      expect(seenByPerson.err).toContain(
        '2 more come after these: GET /api/sessions/my%20key/callbacks?status=all&after=cb_1\n',
      );
      // A run is reading these: to acknowledge them would do nothing.
      callback.state = 'handed';
      const handed = await cli(['callbacks', 'main'], { url, isTerminal: true });
      expect(handed.err).not.toContain('--ack\n');
    },
  );
});

test('a session is named by its key, or by an invocation that runs on it', async () => {
  const answer = {
    ...{ callbacks: [], remaining: 0, inherited: null, offers: null, jsonl: '', nextAfter: null },
    ...{ sessionKey: 'ses_1', agentId: 'b' },
  };
  await withFakeServer(
    ({ url: asked }, response) =>
      answerJson(response, asked.endsWith('/sub_1') ? recordOf({ agentId: 'b' }) : answer),
    async ({ url, seen }) => {
      for (const [command, path] of [
        ['callbacks', 'callbacks'],
        ['context', 'context'],
        ['export', 'export'],
      ] as const) {
        seen.length = 0;
        expect((await cli([command, 'sub_1'], { url })).exitCode).toBe(0);
        expect(seen[0]?.url).toBe('/api/subagents/sub_1');
        expect(seen[1]?.url).toMatch(new RegExp(`^/api/sessions/ses_1/${path}\\?agentId=b`));
      }
    },
  );
});

test('a session without a key is a mistake that names the command that shows them', async () => {
  const url = 'http://127.0.0.1:1';
  for (const command of ['callbacks', 'tree', 'transcript', 'context', 'export']) {
    expect(await cli([command, ' '], { url })).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining('`offshoot sessions` shows them.'),
    });
  }
});
