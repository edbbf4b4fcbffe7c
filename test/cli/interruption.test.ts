import { expect, test } from '@jest/globals';
import {
  answerJson,
  recordOf,
  runningRecord,
  withFakeServer,
  type Answer,
} from '../client/fake-server.ts';
import { startCli, until } from './cli-harness.ts';

/** Accepts, and never ends by itself. */
const endless: Answer = (request, response) => {
  if (request.url === '/api/subagents') answerJson(response, runningRecord(), 202);
  else if (request.url.endsWith('/cancel')) answerJson(response, recordOf({ status: 'cancelled' }));
};

test('Ctrl-C on a terminal asks; "c" cancels it', async () => {
  await withFakeServer(endless, async ({ url, seen }) => {
    const args = ['run', 'demo', 'x', '--quiet'];
    const run = startCli(args, { url, isTerminal: true, answers: ['what?', 'C'] });
    await until(() => seen.length === 2);
    run.interrupt();
    const { exitCode, err } = await run.done;
    expect(exitCode).toBe(130);
    expect(run.questions).toEqual(
      Array(2).fill('sub_1 is running: [l]eave it running or [c]ancel it? '),
    );
    expect(seen.at(-1)).toMatchObject({ url: '/api/subagents/sub_1/cancel' });
    expect(err).toContain('sub_1 is cancelled.');
  });
});

test.each([
  ['"l" leaves it running', ['l'], 1],
  ['a second Ctrl-C leaves it running', [], 2],
])('Ctrl-C on a terminal asks; %s', async (_, answers, presses) => {
  await withFakeServer(endless, async ({ url, seen }) => {
    const run = startCli(['run', 'demo', 'x', '--quiet'], { url, isTerminal: true, answers });
    await until(() => seen.length === 2);
    for (let press = 0; press < presses; press += 1) run.interrupt();
    expect((await run.done).exitCode).toBe(130);
    expect(run.err()).toContain('sub_1 goes on. Its answer: offshoot wait sub_1');
    expect(run.questions).toHaveLength(1);
    expect(seen.some((one) => one.url.endsWith('/cancel'))).toBe(false);
  });
});

test('an end that comes while the question is open is told', async () => {
  let finish: () => void = () => undefined;
  await withFakeServer(
    (request, response) => {
      if (request.url === '/api/subagents') return answerJson(response, runningRecord(), 202);
      finish = () => answerJson(response, { done: [recordOf()], open: [], more: [] });
    },
    async ({ url, seen }) => {
      const run = startCli(['run', 'demo', 'x', '--quiet'], { url, isTerminal: true });
      await until(() => seen.length === 2);
      run.interrupt();
      await until(() => run.questions.length === 1);
      finish();
      expect(await run.done).toMatchObject({ exitCode: 0, out: 'hello\n' });
    },
  );
});

test('Ctrl-C without a terminal leaves it running and prints its id', async () => {
  await withFakeServer(endless, async ({ url, seen }) => {
    const run = startCli(['run', 'demo', 'x'], { url });
    await until(() => seen.length === 2);
    run.interrupt();
    const { exitCode, out, err } = await run.done;
    expect({ exitCode, out }).toEqual({ exitCode: 130, out: '' });
    expect(err).toBe('sub_1 goes on. Its answer: offshoot wait sub_1\n');
    expect(run.questions).toEqual([]);
    expect(seen).toHaveLength(2);
  });
});

test('Ctrl-C before the server has answered names the key by which it is found again', async () => {
  await withFakeServer(
    () => undefined,
    async ({ url, seen }) => {
      const run = startCli(['run', 'demo', 'x', '--key', 'k7'], { url });
      await until(() => seen.length === 1);
      run.interrupt();
      const { exitCode, err } = await run.done;
      expect(exitCode).toBe(130);
      expect(err).toContain('--key k7');
    },
  );
});
