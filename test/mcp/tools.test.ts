import { describe, expect, test } from '@jest/globals';
import { AppError } from '../../contract/errors.ts';
import { defaults } from '../../contract/limits.ts';
import type { Callback } from '../../contract/records.ts';
import { record } from '../api/api-fixture.ts';
import { withMcp } from './mcp-fixture.ts';

const task = { runnerId: 'demo', prompt: 'say hello' };

describe('wait, list, cancel', () => {
  test('waiting returns what has ended, and says how to go on with the rest', () =>
    withMcp(
      {
        answer: () => ({
          done: [record()],
          open: [record({ id: 'sub_2', status: 'running', result: null, completedAt: null })],
          more: [],
        }),
      },
      async ({ call, asked }) => {
        const result = await call('wait_subagents', { ids: ['sub_1', 'sub_2'], until: 'any' });
        expect(asked()[0]?.input).toMatchObject({
          until: 'any',
          waitSeconds: expect.closeTo(defaults.mcpWaitSeconds, 0),
        });
        expect(result.text).toContain('1 ended, 1 open.');
        expect(result.text).toContain('Call wait_subagents {"ids": ["sub_2"]} to go on waiting.');
        expect(result.text).toContain('hello');
      },
    ));

  test('a list shows own sub-agents unless more is asked for, without their answers', () =>
    withMcp(
      {
        answer: () => ({ items: [record({ error: 'e'.repeat(4000) })], nextCursor: 'next-1' }),
        environment: { token: null, parentSessionId: 'mine', harnessSession: null },
      },
      async ({ call, asked }) => {
        const result = await call('list_subagents');
        await call('list_subagents', { scope: 'all' });
        await call('list_subagents', { rootSessionId: 'root' });
        expect(asked().map((one) => one.input)).toEqual([
          { parentSessionId: 'mine', limit: 20 },
          { limit: 20 },
          { rootSessionId: 'root', limit: 20 },
        ]);
        expect(result.structuredContent).toMatchObject({
          items: [{ id: 'sub_1', task: 'say hello', answer: null }],
          nextCursor: 'next-1',
        });
        expect(result.text).toContain('"cursor": "next-1"');
        expect(result.text.length).toBeLessThan(600);
        expect(result.text).not.toContain('<agent-answer');
      },
    ));

  test('a cancelled sub-agent that is still stopping says so', () =>
    withMcp(
      { answer: () => record({ status: 'running', result: null, completedAt: null }) },
      async ({ call, asked }) => {
        const result = await call('cancel_subagent', { id: 'sub_1', reason: 'enough' });
        expect(asked()[0]).toMatchObject({
          name: 'cancelSubagent',
          input: { id: 'sub_1', reason: 'enough' },
        });
        expect(result.text).toContain('It has been told to stop.');
      },
    ));
});

describe('get_callbacks', () => {
  const callback = (n: number, envelope = `<agent-callback id="cb_${n}">done</agent-callback>`) =>
    ({
      id: `cb_${n}`,
      invocationId: `sub_${n}`,
      status: 'completed',
      state: 'queued',
      createdAt: '2026-10-01T10:00:00.000Z',
      envelope,
    }) satisfies Callback;
  const environment = { token: null, parentSessionId: 'mine', harnessSession: null };

  test('acknowledges first, then lists what is left', () =>
    withMcp(
      {
        environment,
        answer: (name) =>
          name === 'ackCallbacks'
            ? { acknowledged: ['cb_1'] }
            : { callbacks: [callback(2), callback(3)], remaining: 0 },
      },
      async ({ call, asked }) => {
        const result = await call('get_callbacks', { ack: ['cb_1'] });
        expect(asked().map((one) => [one.name, one.input['key']])).toEqual([
          ['ackCallbacks', 'mine'],
          ['getCallbacks', 'mine'],
        ]);
        expect(result.structuredContent).toEqual({
          acknowledged: ['cb_1'],
          callbacks: [callback(2), callback(3)],
          remaining: 0,
        });
        expect(result.text).toContain('Acknowledged: cb_1.');
        expect(result.text).toContain('get_callbacks {"ack": ["cb_2","cb_3"]}');
        expect(result.text.indexOf('cb_2\n')).toBeLessThan(result.text.indexOf('cb_3\n'));
      },
    ));

  test('gives as many as fit, oldest first, and says how many are left', () =>
    withMcp(
      {
        environment,
        answer: () => ({
          callbacks: [1, 2, 3, 4].map((n) => callback(n, 'x'.repeat(15_000))),
          remaining: 3,
        }),
      },
      async ({ call }) => {
        const result = await call('get_callbacks');
        expect(result.structuredContent).toMatchObject({
          callbacks: [{ id: 'cb_1' }, { id: 'cb_2' }],
          remaining: 5,
        });
        expect(result.text).toContain('5 more did not fit');
      },
    ));

  test.each([
    [0, 'No callbacks.'],
    [1, '1 callback.'],
    [2, '2 callbacks, in the order in which the sub-agents ended.'],
  ])('counts %d of them as people do', (count, words) =>
    withMcp(
      {
        environment,
        answer: () => ({ callbacks: [callback(1), callback(2)].slice(0, count), remaining: 0 }),
      },
      async ({ call }) => {
        const { text } = await call('get_callbacks');
        expect(text.split('\n')[0]).toBe(words);
      },
    ),
  );

  test('says so when nothing tells whose mailbox is meant', () =>
    withMcp({}, async ({ call, asked }) => {
      const result = await call('get_callbacks');
      expect(result.isError).toBe(true);
      expect(result.text).toContain('Give sessionKey');
      expect(asked()).toEqual([]);
    }));
});

describe('errors', () => {
  test('a refusal is a result with code, reason and remedy', () =>
    withMcp(
      {
        answer: () => {
          throw new AppError('unknown_runner', 'There is no runner "demon".', {
            hint: 'There are: demo, lint.',
          });
        },
      },
      async ({ call }) => {
        const result = await call('runSubagent', { ...task, runnerId: 'demon' });
        expect(result.isError).toBe(true);
        expect(result.text).toBe(
          'Refused (unknown_runner): There is no runner "demon".\nHint: There are: demo, lint.',
        );
      },
    ));

  test.each([
    ['get_subagent', { id: '\ud800' }],
    ['wait_subagents', { ids: ['\ud800'] }],
    ['cancel_subagent', { id: 'sub_1', reason: '\ud800' }],
    ['list_subagents', { cursor: '\ud800' }],
    ['get_callbacks', { sessionKey: '\ud800' }],
  ])('%s refuses half a character by field', (name, input) =>
    withMcp({}, async ({ call, asked }) => {
      const result = await call(name, input);
      expect(result.isError).toBe(true);
      expect(result.text).toContain('is not well-formed Unicode');
      expect(asked()).toEqual([]);
    }),
  );

  test('input that does not fit is refused by field, before the server is asked', () =>
    withMcp({}, async ({ call, asked }) => {
      const result = await call('runSubagent', { runnerId: 'demo', prompt: ' ', colour: 'red' });
      expect(result.isError).toBe(true);
      expect(result.text).toContain('prompt: must not be empty or blank');
      expect(result.text).toContain('colour: is not a known key');
      const mode = await call('runSubagent', { ...task, mode: 'FAST' });
      expect(mode.text).toContain('SYNC, ASYNC_POLL, ASYNC_CALLBACK');
      expect(asked()).toEqual([]);
    }));

  test('what is nested too deep to be gone through is refused as such', () =>
    withMcp({}, async ({ call, asked }) => {
      let colour: unknown = 'red';
      for (let level = 0; level < 101; level += 1) colour = [colour];
      const result = await call('runSubagent', { ...task, colour });
      expect(result.text).toContain('the arguments are nested deeper than 100');
      expect(asked()).toEqual([]);
    }));

  test('an unknown tool is an error of the protocol', () =>
    withMcp({}, async ({ call }) => {
      await expect(call('rm_rf')).rejects.toThrow('No tool rm_rf');
    }));
});
