/** leanspec 2, 3, 26: how a run ended is said in one shape, and truthfully. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { limits } from '../../contract/limits.ts';
import type { CommandRunner, ResultPath } from '../../contract/run.ts';
import type { Environment } from '../../runners/environment.ts';
import { nodeRunner, run, runFixture, specOf, withRoom } from './run-fixture.ts';

const ended = (command: string, runner: Partial<CommandRunner> = {}, workspacePath?: string) =>
  withRoom((room) => {
    const spec = specOf(room, nodeRunner('print', [], { command, args: [], ...runner }));
    return run(room, { ...spec, ...(workspacePath === undefined ? {} : { workspacePath }) });
  });

test('an answer is stdout without its trailing line ends', async () => {
  const { outcome } = await runFixture('print', ['\n two\nlines \r\n\n']);
  expect(outcome).toEqual({
    kind: 'succeeded',
    content: '\n two\nlines ',
    tokenUsage: null,
    error: null,
    errorCode: null,
    errorHint: null,
    exitCode: 0,
    signal: null,
  });
});

test('a failure has its code, the end of stderr, and what was said so far', async () => {
  const { outcome } = await runFixture('fail');
  expect(outcome).toMatchObject({
    kind: 'failed',
    errorCode: 'exit_nonzero',
    error: 'exited with code 3: warming up\nthe disk is full',
    content: 'half an answer',
    exitCode: 3,
  });
});

test('an ending without an answer is a failure', async () => {
  const { outcome } = await runFixture('silent');
  expect(outcome).toMatchObject({ kind: 'failed', errorCode: 'empty_result', content: null });
  expect(outcome.errorHint).toBe(
    'The program must print its answer to stdout; stderr is for progress.',
  );
});

test('an ending without any JSON, or with a blank answer in it, is an ending without an answer', async () => {
  const runner = { result: 'json' as const, resultPath: 'result' };
  for (const printed of [' \n', '{"result": " "}', '{"result": "", "is_error": false}']) {
    const { outcome } = await runFixture('print', [printed], { runner });
    expect(outcome).toMatchObject({ kind: 'failed', errorCode: 'empty_result' });
  }
});

test('a program that is killed by somebody else has failed by that signal', async () => {
  const { outcome } = await runFixture('die');
  expect(outcome).toMatchObject({
    kind: 'failed',
    errorCode: 'killed_by_signal',
    error: 'was killed by SIGKILL',
    content: 'last words',
    signal: 'SIGKILL',
    exitCode: null,
  });
});

test.each(['no-such-program-anywhere', '/no/such/program', './not-here'])(
  'a missing program (%s) is named',
  async (command) => {
    const { outcome, events } = await ended(command);
    expect(outcome).toMatchObject({ kind: 'failed', errorCode: 'runner_missing' });
    expect(outcome.error).toContain(command);
    expect(outcome.errorHint).toMatch(/^Install it, or correct runners\.fixture\.command /);
    expect(outcome.errorHint).toMatch(/offshoot logs sub_\w+$/);
    const isOnPath = !command.includes('/');
    expect(/ on the PATH of the runner host \(\d+ folders?\)$/.test(outcome.error!)).toBe(isOnPath);
    expect(events).toEqual([]);
  },
);

test('the PATH that a program is missing on is named by whose it is and its size, never as a whole', async () => {
  const command = 'no-such-program-anywhere';
  const path = '/opt/a/bin:/opt/b/bin';
  await withRoom(async (room) => {
    const said = async (runnerEnv: Environment, env: Environment, hostEnv: Environment) => {
      const runner = nodeRunner('print', [], { command, args: [], env: runnerEnv });
      return (await run(room, specOf(room, runner, { env }), { hostEnv })).outcome.error;
    };
    const found = `the program ${command} was not found on the PATH`;
    const own = { PATH: path };
    expect(await said({}, {}, own)).toBe(`${found} of the runner host (2 folders)`);
    expect(await said({}, {}, {})).toBe(`${found} of the runner host (not set)`);
    const runnerEnv = { PATH: '/opt/c/bin:${PATH}' };
    expect(await said(runnerEnv, {}, own)).toBe(`${found} in runners.fixture.env (3 folders)`);
    expect(await said(runnerEnv, { PATH: '/opt/d' }, own)).toBe(
      `${found} in context.env (1 folder)`,
    );
  });
});

test('a program that is not executable is named', async () => {
  await withRoom(async (room) => {
    const command = join(room.workspace, 'plain.txt');
    writeFileSync(command, 'text', { mode: 0o644 });
    const { outcome } = await run(room, specOf(room, nodeRunner('print', [], { command })));
    expect(outcome).toMatchObject({ kind: 'failed', errorCode: 'runner_missing' });
    expect(outcome.error).toContain('not executable');
    expect(outcome.errorHint).toMatch(
      /^Make it executable, or correct runners\.fixture\.command\./,
    );
  });
});

test('a missing workspace is not blamed on the program', async () => {
  const { outcome } = await ended(process.execPath, {}, '/no/such/workspace');
  expect(outcome).toMatchObject({ kind: 'failed', errorCode: 'spawn_failed' });
  expect(outcome.error).toBe('the workspace /no/such/workspace does not exist');
});

/** What `claude -p --output-format json` printed, shortened. */
const claude = {
  duration_api_ms: 194,
  session_id: 'ba641fee',
  usage: { input_tokens: 200, cache_read_input_tokens: 0, output_tokens: 20 },
  is_error: false,
  num_turns: 2,
  subtype: 'success',
  result: 'Done.\nAll tests pass.',
  type: 'result',
};
const json = (printed: unknown, exitCode = 0, resultPath: ResultPath | null = 'result') =>
  runFixture(
    'print',
    [typeof printed === 'string' ? printed : JSON.stringify(printed), String(exitCode)],
    { runner: { result: 'json', resultPath } },
  ).then((ran) => ran.outcome);

test("answer and usage are read from an agent program's JSON", async () => {
  expect(await json(claude)).toMatchObject({
    kind: 'succeeded',
    content: 'Done.\nAll tests pass.',
    tokenUsage: { input: 200, output: 20 },
  });
});

test('of a stream of lines the last object counts, and lines that are no JSON are tolerated', async () => {
  const lines = ['{"type":"system"}', '{half a li', JSON.stringify(claude), '[1]', '{', ''];
  expect(await json(lines.join('\n'))).toMatchObject({ content: claude.result });
});

test('the object form names its own paths, places in lists included', async () => {
  const printed = [{ type: 'system' }, { type: 'end', out: { parts: ['a', 'b'] }, in: 3, tok: 4 }];
  const paths = { content: '-1.out.parts', tokensInput: '-1.in', tokensOutput: '-1.tok' };
  expect(await json(printed, 0, paths)).toMatchObject({
    kind: 'succeeded',
    content: '["a","b"]',
    tokenUsage: { input: 3, output: 4 },
  });
});

test('without a path the whole JSON is the answer', async () => {
  expect(await json({ n: 1 }, 0, null)).toMatchObject({ kind: 'succeeded', content: '{"n":1}' });
});

test('an answer that calls itself an error has failed, whatever the exit code', async () => {
  const printed = { ...claude, is_error: true, result: 'API Error: 401 bad key' };
  const wanted = { kind: 'failed', errorCode: 'agent_error', error: 'API Error: 401 bad key' };
  expect(await json(printed, 0)).toMatchObject(wanted);
  expect(await json(printed, 1)).toMatchObject(wanted);
  const { result: _, ...withoutResult } = { ...claude, is_error: true, errors: ['Reached 1 turn'] };
  expect(await json(withoutResult, 1)).toMatchObject({
    errorCode: 'agent_error',
    error: 'Reached 1 turn',
    content: JSON.stringify(withoutResult),
  });
});

test('an answer that says it is none succeeds, whatever the exit code', async () => {
  expect(await json(claude, 7)).toMatchObject({ kind: 'succeeded', exitCode: 7 });
  const { is_error: _, ...silent } = claude;
  expect(await json(silent, 7)).toMatchObject({
    kind: 'failed',
    errorCode: 'exit_nonzero',
    content: claude.result,
  });
});

test.each([
  ['no JSON at all', 'plain text'],
  ['half of an object', '{"result": "cut'],
  ['nothing at the path', '{"answer": "elsewhere"}'],
  ['null at the path', '{"result": null}'],
])('%s is an invalid result, kept as it is', async (_what, printed) => {
  expect(await json(printed)).toMatchObject({
    kind: 'failed',
    errorCode: 'invalid_result',
    errorHint: expect.stringMatching(/^`offshoot transcript <id>`.*\. Check .*\.$/),
    content: printed,
  });
});

test('a long answer keeps head and tail and says how much is missing', async () => {
  const { outcome } = await runFixture('flood', ['20']);
  const content = outcome.content!;
  expect(Buffer.byteLength(content)).toBeLessThan(limits.resultBytesMax + 200);
  expect(content.startsWith('0000000001 ')).toBe(true);
  expect(content).toContain('\n0000032000 ');
  expect(content).toContain(`${20_000_000 - limits.resultBytesMax} bytes are left out here`);
});

test('a long stderr is told by its end', async () => {
  const script = `process.stderr.write('x'.repeat(1e6) + 'the end', () => process.exit(1))`;
  const { outcome } = await ended(process.execPath, { args: ['-e', script] });
  expect(outcome.error).toHaveLength(limits.errorCharsMax);
  expect(outcome.error).toMatch(/^exited with code 1: …x+the end$/);
});
