/** Every way of giving the prompt gives it byte for byte, and stdin ends. */
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { limits } from '../../contract/limits.ts';
import { run, runFixture, nodeRunner, specOf, withRoom } from './run-fixture.ts';

const awkward = [
  '--help\nsecond "line" with \'quotes\' $HOME `id` \\n %s',
  '-',
  'emoji 👩‍👩‍👧 and ümläute \u0301, tab\t, CR\r\n, trailing space ',
  '\uFEFFstarts with a byte-order mark',
];
const big = 'Ünïcode and "quotes"\n'.repeat(48_000);

test.each([
  ['stdin', 'echo-stdin'],
  ['arg', 'echo-arg'],
  ['file', 'cat-file'],
] as const)('a prompt given by %s arrives byte for byte [leanspec 21]', async (promptVia, name) => {
  for (const prompt of awkward) {
    const { outcome } = await runFixture(name, [], { runner: { promptVia }, spec: { prompt } });
    expect(outcome).toMatchObject({ kind: 'succeeded', content: prompt });
  }
});

test.each([
  ['stdin', 'echo-stdin'],
  ['file', 'cat-file'],
] as const)(
  'a prompt of 1 MB given by %s arrives byte for byte [leanspec 21]',
  async (promptVia, name) => {
    expect(Buffer.byteLength(big)).toBeGreaterThan(1_000_000);
    const { outcome } = await runFixture(name, [], {
      runner: { promptVia },
      spec: { prompt: big },
    });
    expect(outcome.kind).toBe('succeeded');
    expect(outcome.content === big.trimEnd()).toBe(true);
  },
);

test('a prompt that is too long for an argument is refused with a way out', async () => {
  await withRoom(async (room) => {
    const prompt = 'x'.repeat(limits.argvPromptBytesMax + 1);
    const runner = nodeRunner('echo-arg', [], { promptVia: 'arg' });
    const spawned: number[] = [];
    const io = { onSpawn: (pid: number) => void spawned.push(pid) };
    const { outcome } = await run(room, specOf(room, runner, { prompt }), io);
    expect(outcome).toMatchObject({ kind: 'failed', errorCode: 'spawn_failed' });
    expect(outcome.errorHint).toMatch(/^Set runners\.fixture\.promptVia to stdin or file\.$/);
    expect(spawned).toEqual([]);
    expect(readdirSync(room.workspace)).toEqual([]);
  });
});

test('a prompt with NUL cannot be an argument and says so', async () => {
  const given = { runner: { promptVia: 'arg' as const }, spec: { prompt: 'a\0b' } };
  const { outcome } = await runFixture('echo-arg', [], given);
  expect(outcome).toMatchObject({ kind: 'failed', errorCode: 'spawn_failed' });
  expect(outcome.errorHint).toMatch(/^The program,.* NUL\.$/);
});

test('what cannot be an argument or a variable is not quoted in the error: it may be a secret', async () => {
  const secret = 'hunter2\0of-this-test';
  const asPrompt = { runner: { promptVia: 'arg' as const }, spec: { prompt: secret } };
  for (const given of [asPrompt, { spec: { env: { KEY: secret } } }]) {
    const { outcome } = await runFixture('echo-arg', [], given);
    expect(outcome).toMatchObject({ kind: 'failed', errorCode: 'spawn_failed' });
    expect(outcome.error).toContain('ERR_INVALID_ARG_VALUE');
    expect(JSON.stringify(outcome)).not.toContain('hunter2');
  }
});

test.each(['arg', 'file'] as const)(
  'stdin is at its end for a prompt given by %s',
  async (promptVia) => {
    const { outcome } = await runFixture('read-to-end', [], { runner: { promptVia } });
    expect(outcome.content).toBe('read 0 bytes');
  },
);

test('stdin is closed after the prompt', async () => {
  const { outcome } = await runFixture('read-to-end', [], { spec: { prompt: 'four' } });
  expect(outcome.content).toBe('read 4 bytes');
});

test('a program that talks a lot before it reads a long prompt does not block [leanspec 34]', async () => {
  const { outcome, text } = await runFixture('chatty-reader', [], { spec: { prompt: big } });
  expect(outcome.content).toBe(createHash('sha256').update(big).digest('hex'));
  expect(text('stderr')).toHaveLength(1_025_000);
});

test('a program that does not read its prompt is judged by its answer', async () => {
  const { outcome } = await runFixture('print', ['not interested'], { spec: { prompt: big } });
  expect(outcome).toMatchObject({ kind: 'succeeded', content: 'not interested' });
});
