import { expect, test } from '@jest/globals';
import { answerJson, recordOf, runningRecord, withFakeServer } from '../client/fake-server.ts';
import { cli } from './cli-harness.ts';

test('cancel says how it ended, or that it had ended already', async () => {
  let before = runningRecord();
  const after = recordOf({ status: 'cancelled' });
  await withFakeServer(
    ({ method }, response) =>
      answerJson(response, method === 'GET' || before.completedAt !== null ? before : after),
    async ({ url }) => {
      const cancelled = await cli(['cancel', 'sub_1'], { url });
      expect(cancelled).toMatchObject({ exitCode: 0, out: '⊘ sub_1 cancelled\n' });
      before = recordOf();
      const late = await cli(['cancel', 'sub_1'], { url });
      expect(late).toMatchObject({ exitCode: 0, out: '✓ sub_1 had ended already: completed\n' });
      const json = await cli(['cancel', 'sub_1', '--json'], { url });
      expect(JSON.parse(json.out)).toEqual(before);
    },
  );
});

test('delete asks a person, refuses a script that has not said --yes, and says what went', async () => {
  await withFakeServer(
    ({ method }, response) =>
      answerJson(
        response,
        method === 'GET' ? recordOf() : { sessions: 1, invocations: 2, turns: 30, callbacks: 0 },
      ),
    async ({ url, seen }) => {
      const no = await cli(['delete', 'sub_1'], { url, isTerminal: true, answers: ['n'] });
      expect(no).toMatchObject({ exitCode: 130, out: '' });
      expect(seen.splice(0).map(({ method }) => method)).toEqual(['GET']);
      const unsaid = await cli(['delete', 'sub_1'], { url });
      expect(unsaid).toMatchObject({
        exitCode: 2,
        err: 'offshoot: Nobody is there to be asked whether to delete sub_1.\n  Say it with --yes.\n',
      });
      expect(seen).toEqual([]);
      const yes = await cli(['delete', 'main', '--session', '--yes'], { url });
      expect(yes.out).toBe('Deleted: 1 session, 2 invocations, 30 turns, 0 callbacks.\n');
      expect(seen[0]).toMatchObject({ method: 'DELETE', url: '/api/sessions/main' });
      await cli(['delete', 'main', '--session', '--agent', 'b', '--yes'], { url });
      expect(seen[1]?.url).toBe('/api/sessions/main?agentId=b');
      // An id has one agent: naming another would be a mistake that nobody saw.
      const alone = await cli(['delete', 'sub_1', '--agent', 'b', '--yes'], { url });
      expect(alone).toMatchObject({ exitCode: 2, err: expect.stringContaining('--session') });
    },
  );
});

test('delete of what still runs is refused before anybody is asked', () =>
  withFakeServer(
    (_, response) => answerJson(response, runningRecord()),
    async ({ url, seen }) => {
      const run = await cli(['delete', 'sub_1'], { url, isTerminal: true, answers: ['y'] });
      expect(run).toMatchObject({
        exitCode: 5,
        questions: [],
        err: 'offshoot: sub_1 is running\n  `offshoot cancel <id>` ends it, `offshoot wait <id>` waits for its end.\n',
      });
      expect(seen.map(({ method }) => method)).toEqual(['GET']);
    },
  ));
