import { expect, test } from '@jest/globals';
import { defaults } from '../../contract/limits.ts';
import { record, tokens } from '../api/api-fixture.ts';
import { withMcp } from './mcp-fixture.ts';

const task = { runnerId: 'demo', prompt: 'say hello' };

test('SYNC gives the answer, in the text and as data', () =>
  withMcp({}, async ({ call, asked }) => {
    const result = await call('runSubagent', task);
    expect(result.isError).toBeFalsy();
    expect(result.structuredContent).toMatchObject({
      id: 'sub_1',
      status: 'completed',
      isFinal: true,
      task: 'say hello',
      durationMs: 3500,
      answer: { text: 'hello', isWhole: true, nextOffset: null },
    });
    expect(result.text).toContain('sub_1: completed after 3.5 s, runner demo, SYNC');
    expect(result.text).toMatch(/<agent-answer .*>\nhello\n<\/agent-answer>$/);
    expect(asked()[0]?.input).toMatchObject({
      executionMode: 'SYNC',
      waitSeconds: expect.closeTo(defaults.mcpWaitSeconds, 0),
      context: { workspacePath: '/where/the/host/works' },
    });
  }));

test('what takes longer than the host waits becomes a handle, and the next call is named', () =>
  withMcp(
    { answer: () => record({ status: 'running', completedAt: null, result: null }) },
    async ({ call }) => {
      const result = await call('runSubagent', { ...task, waitSeconds: 0 });
      expect(result.structuredContent).toMatchObject({ isFinal: false, answer: null });
      expect(result.text).toContain('Call wait_subagents {"ids": ["sub_1"]}');
      expect(result.text).toContain('Do not run it again');
    },
  ));

test.each(['ASYNC_POLL', 'ASYNC_CALLBACK'] as const)(
  '%s gives a handle at once and asks for no wait',
  (mode) =>
    withMcp(
      {
        answer: (_name, _caller, input) =>
          record({
            status: 'pending',
            executionMode: input['executionMode'] as typeof mode,
            result: null,
            completedAt: null,
            pendingReason: 'no slot is free',
          }),
      },
      async ({ call, asked }) => {
        const result = await call('runSubagent', { ...task, mode });
        expect(asked()[0]?.input).not.toHaveProperty('waitSeconds');
        expect(result.text).toContain(`pending, runner demo, ${mode}`);
        expect(result.text).toContain('no slot is free');
        expect(result.text).toContain(mode === 'ASYNC_POLL' ? 'wait_subagents' : 'get_callbacks');
      },
    ),
);

test('an agent that we run is told to end its turn, because it is woken', () =>
  withMcp(
    {
      answer: () => record({ status: 'pending', executionMode: 'ASYNC_CALLBACK', result: null }),
      environment: { token: tokens.child, parentSessionId: 'own', harnessSession: null },
    },
    async ({ call }) => {
      const result = await call('runSubagent', { ...task, mode: 'ASYNC_CALLBACK' });
      expect(result.text).toContain('end your turn. You are run again with its answer.');
    },
  ));

test('a given workspace is kept, in either spelling', () =>
  withMcp({}, async ({ call, asked }) => {
    await call('runSubagent', { ...task, context: { workspacePath: '/mine' } });
    await call('runSubagent', { ...task, context: { workspace_path: '/mine' } });
    expect(asked().map((one) => one.input['context'])).toEqual([
      { workspacePath: '/mine' },
      { workspacePath: '/mine' },
    ]);
  }));

test('null for what may be left out is as if it were not there', () =>
  withMcp({ answer: () => record() }, async ({ call, asked }) => {
    const context = { workspacePath: '/mine', specId: null, env: null };
    await call('runSubagent', { ...task, title: null, waitSeconds: null, context });
    await call('runSubagent', { ...task, context: { workspacePath: '/mine' } });
    const [withNulls, without] = asked().map((one) => one.input);
    expect(withNulls).toEqual({ ...without, waitSeconds: expect.closeTo(50, 0) });
    expect((await call('get_subagent', { id: 'sub_1', offset: null })).isError).toBeFalsy();
    expect((await call('cancel_subagent', { id: 'sub_1', reason: null })).isError).toBeFalsy();
  }));

test('an agent that failed is a result, with error, hint and what it had said', () =>
  withMcp(
    {
      answer: () =>
        record({
          status: 'failed',
          error: 'the program ended with code 3',
          errorCode: 'exit_nonzero',
          errorHint: 'read its output',
          result: { content: 'half a thought', tokenUsage: null, durationMs: 61_000 },
        }),
    },
    async ({ call }) => {
      const result = await call('runSubagent', task);
      expect(result.isError).toBeFalsy();
      expect(result.text).toContain('sub_1: failed (exit_nonzero) after 61 s');
      expect(result.text).toContain('Error: the program ended with code 3');
      expect(result.text).toContain('Hint: read its output');
      expect(result.text).toContain('half a thought');
      expect(result.text).not.toContain('this is its answer');
    },
  ));

test('the same tool call of a host is the same key; without an id each call has its own', () =>
  withMcp({}, async ({ call, asked }) => {
    await call('runSubagent', task, { 'claudecode/toolUseId': 'toolu_1' });
    await call('runSubagent', task, { 'claudecode/toolUseId': 'toolu_1' });
    await call('runSubagent', task, { 'claudecode/toolUseId': 'toolu_2' });
    await call('runSubagent', task);
    await call('runSubagent', task);
    const keys = asked().map((one) => one.caller.idempotencyKey);
    expect(keys[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(keys[1]).toBe(keys[0]);
    expect(new Set(keys).size).toBe(4);
  }));

test('the same tool call id in another session is another key', () =>
  withMcp({}, async ({ call, asked }) => {
    for (const sessionId of ['a', 'b']) {
      await call('runSubagent', task, { callId: 'call_1', sessionId, threadId: sessionId });
    }
    const keys = asked()
      .filter((one) => one.name === 'runSubagent')
      .map((one) => one.caller.idempotencyKey);
    expect(new Set(keys).size).toBe(2);
  }));
