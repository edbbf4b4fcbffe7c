import { expect, test } from '@jest/globals';
import type { TreeNode } from '../../contract/records.ts';
import type { Status } from '../../contract/words.ts';
import {
  answerJson,
  answerProblem,
  recordOf,
  runningRecord,
  withFakeServer,
} from '../client/fake-server.ts';
import { cli, startCli, until } from './cli-harness.ts';

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
    ({ method, url: asked }, response) =>
      answerJson(
        response,
        method === 'DELETE'
          ? { sessions: 1, invocations: 2, turns: 30, callbacks: 0 }
          : asked.includes('/tree')
            ? { ...treeOf({}), ...whole }
            : recordOf(),
      ),
    async ({ url, seen }) => {
      const no = await cli(['delete', 'sub_1'], { url, isTerminal: true, answers: ['n'] });
      expect(no).toMatchObject({ exitCode: 130, out: '' });
      expect(no.questions).toEqual(['Delete sub_1 with its transcript and all below it? [y/N] ']);
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

const treeOf = (node: Partial<TreeNode>, status: Status = 'completed'): TreeNode => ({
  sessionKey: 'ses_1',
  kind: 'managed',
  harness: null,
  state: 'idle',
  title: null,
  firstWords: null,
  depth: 0,
  invocations: [
    {
      id: `sub_${status}`,
      runnerId: 'demo',
      status,
      executionMode: 'SYNC',
      title: 'x',
      durationMs: null,
      error: null,
    },
  ],
  children: [],
  ...node,
});

const whole = { total: { sessions: 1, invocations: 1 }, truncated: false };

const refused = {
  exitCode: 5,
  out: '',
  questions: [],
  err: 'offshoot: sub_running is running\n  `offshoot cancel sub_running` ends it, `offshoot wait sub_running` waits for its end.\n',
};
const asAPerson = { isTerminal: true, answers: ['y'] };

test('delete of what still runs is refused before anybody is asked', () =>
  withFakeServer(
    (_, response) => answerJson(response, runningRecord({ id: 'sub_running' })),
    async ({ url, seen }) => {
      expect(await cli(['delete', 'sub_running'], { url, ...asAPerson })).toMatchObject(refused);
      expect(seen.map(({ method }) => method)).toEqual(['GET']);
    },
  ));

test('delete of a session that has something running below it is refused before anybody is asked', async () => {
  const below = treeOf({ children: [treeOf({}), treeOf({ children: [treeOf({}, 'running')] })] });
  await withFakeServer(
    ({ method, url: asked }, response) =>
      answerJson(
        response,
        method === 'DELETE'
          ? { sessions: 1, invocations: 2, turns: 3, callbacks: 0 }
          : asked.includes('/tree')
            ? { ...below, ...whole }
            : recordOf({ sessionKey: 'ses_1', agentId: 'b' }),
      ),
    async ({ url, seen }) => {
      const session = ['delete', 'main', '--session', '--agent', 'b'];
      expect(await cli(session, { url, ...asAPerson })).toMatchObject(refused);
      expect(seen.splice(0).map((one) => `${one.method} ${one.url}`)).toEqual([
        'GET /api/sessions/main/tree?agentId=b',
      ]);
      // What stands below an invocation's session may be somebody else's: the server decides.
      const asked = await cli(['delete', 'sub_1'], { url, ...asAPerson });
      expect(asked).toMatchObject({ exitCode: 0, questions: [expect.stringContaining('sub_1')] });
    },
  );
});

test('delete of a session that is not there says so before anybody is asked', () =>
  withFakeServer(
    (_, response) => answerProblem(response, 404, 'not_found'),
    async ({ url, seen }) => {
      const run = await cli(['delete', 'gone', '--session'], { url, ...asAPerson });
      expect(run).toMatchObject({ exitCode: 3, out: '', questions: [] });
      expect(seen.map(({ method }) => method)).toEqual(['GET']);
    },
  ));

test('delete of a session key without --session names the option', () =>
  withFakeServer(
    (_, response) => answerProblem(response, 404, 'not_found'),
    async ({ url }) => {
      const hint = 'offshoot delete ses_1 --session\n';
      const yes = await cli(['delete', 'ses_1', '--yes'], { url });
      expect(yes).toMatchObject({ exitCode: 3, err: expect.stringContaining(hint) });
      const asked = await cli(['delete', 'ses_1'], { url, ...asAPerson });
      expect(asked).toMatchObject({ exitCode: 3, err: expect.stringContaining(hint) });
      expect(asked.questions).toEqual([]);
      for (const args of [['sub_1'], ['ses_1', '--session']]) {
        const other = await cli(['delete', ...args, '--yes'], { url });
        expect(other).toMatchObject({ exitCode: 3, err: expect.not.stringContaining('--session') });
      }
    },
  ));

test('Ctrl-C at the question of delete ends its line, and says that nothing was deleted', () =>
  withFakeServer(
    (_, response) => answerJson(response, recordOf()),
    async ({ url, seen }) => {
      const run = startCli(['delete', 'sub_1'], { url, isTerminal: true });
      await until(() => run.questions.length === 1);
      expect(run.interrupt()).toBe(true);
      expect(await run.done).toMatchObject({ exitCode: 130, err: '\nNothing was deleted.\n' });
      expect(seen.map(({ method }) => method)).toEqual(['GET']);
      // Nobody listens any more.
      expect(run.interrupt()).toBe(false);
    },
  ));
