/** What the three modes promise, and what is refused before anything is written. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { executionModes } from '../../contract/words.ts';
import { program, release, runners, untilFile } from './agents.ts';
import { ask, frames } from './requests.ts';
import { counts, rows } from './rows.ts';
import { startStack } from './stack.ts';

const json = {
  ...{ kind: 'command', command: 'sh', args: ['-s'], result: 'json' },
  resultPath: 'result',
} as const;

let stack: Awaited<ReturnType<typeof startStack>>;
beforeAll(async () => {
  stack = await startStack({ config: { runners: { ...runners, json } } });
  await stack.client.call('registerSession', { key: 'asker' });
}, 60_000);
afterAll(() => stack.stop(), 60_000);

const run = (body: object, headers: Record<string, string> = {}) =>
  ask(stack, 'POST', '/api/subagents', { body: { runnerId: 'sh', ...body }, headers });
const settled = async (id: string) => (await stack.ended(id)).status;
const mailOf = async (key: string) =>
  (await stack.client.call('getCallbacks', { key, status: 'all' })).callbacks;

test('a child carries its parent and the mode that was asked for, SYNC if none was [orchestrator 1]', async () => {
  const given = [...executionModes, undefined];
  const answers = await Promise.all(
    given.map((executionMode) =>
      run(
        { prompt: 'echo hi', ...(executionMode && { executionMode }) },
        { 'x-agent-session-id': 'asker' },
      ),
    ),
  );
  expect(answers.map(({ body }) => body.executionMode)).toEqual([...executionModes, 'SYNC']);
  for (const { body } of answers) {
    await stack.ended(body.id);
    const kept = 'SELECT parent_session_id, execution_mode FROM subagent_sessions WHERE id = ?';
    expect(rows(stack.home, kept, body.id)).toEqual([
      { parent_session_id: 'asker', execution_mode: body.executionMode },
    ]);
  }
});

test('SYNC answers with text and usage, and its parent gets no callback [orchestrator 2]', async () => {
  const said = { result: 'four', usage: { input_tokens: 3, output_tokens: 1 } };
  const parent = program<string>(
    async ({ ask: askAs, say }, prompt) => {
      const body = { runnerId: 'json', prompt };
      say((await askAs('POST', '/api/subagents', body)).body);
    },
    `echo '${JSON.stringify(said)}'`,
  );
  const { status, body } = await run({ runnerId: 'js', prompt: parent });
  expect([status, body.status]).toEqual([200, 'completed']);
  expect(JSON.parse(body.result!.content)).toMatchObject({
    status: 'completed',
    parentSessionId: body.sessionKey,
    result: {
      content: 'four',
      tokenUsage: { input: 3, output: 1 },
      durationMs: expect.any(Number),
    },
  });
  expect(await mailOf(body.sessionKey)).toEqual([]);
  const roles = (await stack.transcript(body.id)).map((turn) => turn.role);
  expect(roles).not.toContain('callback');
});

test('ASYNC_POLL answers while it runs, never calls back, and its result is got by id, also of a child that could go on [orchestrator 3]', async () => {
  const asked = {
    prompt: `${untilFile('polled')}; echo later`,
    executionMode: 'ASYNC_POLL',
    parentSessionId: 'asker',
  };
  const { status, body } = await run(asked);
  expect([status, body.status, body.result]).toEqual([202, 'pending', null]);
  release(body, 'polled');
  await stack.ended(body.id);
  // Its runner takes further turns, so its session is idle and not over.
  const again = await ask(stack, 'GET', `/api/subagents/${body.id}`);
  expect(again.body).toMatchObject({ status: 'completed', result: { content: 'later' } });
  const mail = await mailOf('asker');
  expect(mail.map((callback) => callback.invocationId)).not.toContain(body.id);
});

test('ASYNC_CALLBACK without a parent is refused before anything is written [orchestrator 5]', async () => {
  const before = counts(stack.home);
  const { status, body } = await run({ prompt: 'echo hi', executionMode: 'ASYNC_CALLBACK' });
  expect([status, body.code]).toEqual([400, 'parent_required']);
  expect(counts(stack.home)).toEqual(before);
});

test('a mode that there is not is refused with the three that there are [orchestrator 6]', async () => {
  const before = counts(stack.home);
  const { status, body } = await run({ prompt: 'echo hi', executionMode: 'ASYNC' });
  expect([status, body.code]).toEqual([400, 'bad_request']);
  for (const mode of executionModes) expect(body.detail).toContain(mode);
  expect(counts(stack.home)).toEqual(before);
});

test('a parent that is not known is refused in every mode, and the next request is served [orchestrator 7]', async () => {
  const before = counts(stack.home);
  for (const executionMode of executionModes) {
    const { status, body } = await run({
      prompt: 'echo hi',
      executionMode,
      parentSessionId: 'nobody',
    });
    expect([status, body.code]).toEqual([404, 'unknown_parent']);
  }
  expect(counts(stack.home)).toEqual(before);
  expect((await run({ prompt: 'echo served' })).body.result?.content).toBe('served');
});

test('work for oneself or an ancestor is refused as a cycle [orchestrator 8]', async () => {
  const top = program(async ({ spawn, say, until: there }) => {
    await spawn('ASYNC_POLL', 'until [ -e go ]; do sleep 0.03; done; echo below');
    await there('go');
    say('asked');
  });
  const parent = await stack.start(top, { runnerId: 'js' });
  const { client } = stack;
  const askChildren = () =>
    client.call('listSubagents', { parentSessionId: parent.sessionKey }).then(({ items }) => items);
  let children = await askChildren();
  while (children.length === 0) children = await askChildren();
  for (const sessionKey of [parent.sessionKey, children[0]!.sessionKey]) {
    const answer = await ask(stack, 'POST', `/api/subagents/${parent.id}/send`, {
      body: { prompt: 'echo again' },
      headers: { 'x-agent-session-id': sessionKey },
    });
    expect([answer.status, answer.body.code]).toEqual([422, 'cycle']);
  }
  release(parent, 'go');
  expect(await settled(parent.id)).toBe('completed');
});

test('too deep or too many is told to the agent as a readable tool error [orchestrator 8]', async () => {
  const spawn = 'spawn-mcp poll: say never';
  const [deep, wide] = await Promise.all([
    stack.start(spawn, { limits: { maxDepth: 0 } }),
    stack.start(`spawn poll as first: hang\n${spawn}`, { limits: { maxChildren: 1 } }),
  ]);
  const [tooDeep, tooMany] = await Promise.all([stack.ended(deep.id), stack.ended(wide.id)]);
  expect(tooDeep.result?.content).toMatch(
    /depth_exceeded\): depth 1 is over the limit of 0\nHint: /,
  );
  expect(tooMany.result?.content).toMatch(/children_exceeded\): .* the limit is 1\nHint: /);
  const hanging = await stack.client.call('listSubagents', { parentSessionId: wide.sessionKey });
  await stack.client.call('cancelSubagent', { id: hanging.items[0]!.id });
});

test('a child cannot raise the limits of its tree [leanspec 44]', async () => {
  const child = program(async ({ ask: askAs, say }) => {
    const wider = { limits: { maxDepth: 20, maxChildren: 50 } };
    const body = { runnerId: 'sh', prompt: 'echo no', ...wider };
    say((await askAs('POST', '/api/subagents', body)).body['code']);
  });
  const top = program<string>(async ({ ask: askAs, say }, prompt) => {
    const body = { runnerId: 'js', prompt, limits: { maxDepth: 20, maxChildren: 50 } };
    const first = await askAs<{ result: { content: string } }>('POST', '/api/subagents', body);
    say(first.body.result.content);
  }, child);
  const limits = { maxDepth: 1 };
  expect((await run({ runnerId: 'js', prompt: top, limits })).body.result?.content).toBe(
    'depth_exceeded',
  );
});

test('the same Idempotency-Key is one child, at once or later, and with another body is refused [orchestrator 45]', async () => {
  const key = { 'idempotency-key': 'once' };
  const asked = { prompt: 'echo $$ >> pids; echo done', executionMode: 'ASYNC_POLL' };
  const answers = await Promise.all(Array.from({ length: 8 }, () => run(asked, key)));
  const [id, ...others] = new Set(answers.map(({ body }) => body.id));
  expect(others).toEqual([]);
  const { context } = await stack.ended(id!);
  expect((await run({ ...asked, executionMode: 'ASYNC_POLL' }, key)).body).toMatchObject({
    id,
    status: 'completed',
  });
  const other = await run({ ...asked, prompt: 'echo other' }, key);
  expect([other.status, other.body.code]).toEqual([422, 'idempotency_mismatch']);
  expect(
    (
      await run({ prompt: `cat ${context.workspacePath}/pids | wc -l` })
    ).body.result?.content.trim(),
  ).toBe('1');
});

test('SYNC answers after its patience with a record that has not ended, and the child goes on [orchestrator 37]', async () => {
  const { status, body } = await run({ prompt: `${untilFile('go')}; echo late`, waitSeconds: 0.2 });
  expect([status, body.completedAt, body.result]).toEqual([202, null, null]);
  release(body, 'go');
  expect((await stack.ended(body.id)).result?.content).toBe('late');
});

test('an invocation is pending, then running, then completed, with its times in order [leanspec 1]', async () => {
  const accepted = await stack.start('sleep 0.1; echo ok', { runnerId: 'sh' });
  expect(accepted.status).toBe('pending');
  const seen = await frames(stack, accepted.id);
  const marks = seen.filter(({ data }) => data.role === 'mark').map(({ data }) => data.text);
  expect(marks).toEqual(['running', 'completed']);
  const end = seen.at(-1)!.data;
  expect(end).toMatchObject({ status: 'completed', result: { content: 'ok' } });
  expect(Date.parse(end.startedAt!)).toBeGreaterThanOrEqual(Date.parse(end.createdAt));
  expect(Date.parse(end.completedAt!)).toBeGreaterThanOrEqual(Date.parse(end.startedAt!));
  expect(end.result!.durationMs).toBeGreaterThan(0);
});

test('a program that fails is failed with code and last words, and what it had said is kept [leanspec 2]', async () => {
  const { body } = await run({ prompt: 'echo half; echo no disk >&2; exit 3' });
  expect(body).toMatchObject({
    status: 'failed',
    errorCode: 'exit_nonzero',
    error: 'exited with code 3: no disk',
    result: { content: 'half', durationMs: expect.any(Number) },
  });
  expect(body.result!.durationMs).toBeGreaterThan(0);
});

test('a program that is not there fails at once with a reason, and is not tried again [leanspec 3]', async () => {
  const { body } = await run({ runnerId: 'absent', prompt: 'hi' });
  expect(body).toMatchObject({ status: 'failed', errorCode: 'runner_missing' });
  expect(body.error).toContain('/nowhere/agent');
  expect(rows(stack.home, 'SELECT state FROM runs WHERE invocation_id = ?', body.id)).toEqual([
    { state: 'ended' },
  ]);
});

test('a runner that is not known is refused with the list of those that are, and no row [leanspec 4]', async () => {
  const before = counts(stack.home);
  const { status, body } = await run({ runnerId: 'gpt', prompt: 'hi' });
  expect([status, body.code]).toEqual([400, 'unknown_runner']);
  for (const id of ['demo', ...Object.keys(runners)]) expect(body.detail).toContain(id);
  expect(counts(stack.home)).toEqual(before);
});
