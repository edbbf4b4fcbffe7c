/** leanspec 36 and 37: a run ends when it must, gracefully, then by force, with all that it has started. */
import { existsSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import type { RunEvent } from '../../contract/run.ts';
import { isAlive, runFixture } from './run-fixture.ts';

/** Aborts at the first output, when the program is up. */
function abortAtFirstOutput(reason: string) {
  const controller = new AbortController();
  const events: RunEvent[] = [];
  const onEvent = (event: RunEvent) => {
    events.push(event);
    controller.abort(reason);
  };
  return { signal: controller.signal, onEvent, events };
}

test('a cancelled program is asked first, and what it said is kept', async () => {
  // A grace that is far longer than this test may last.
  const { outcome } = await runFixture('hang', [], {
    io: { ...abortAtFirstOutput('cancelled'), killGraceMs: 600_000 },
  });
  expect(outcome).toMatchObject({
    kind: 'cancelled',
    errorCode: 'cancelled',
    signal: 'SIGTERM',
    content: 'thinking',
  });
});

test('a program that does not listen is forced after the grace', async () => {
  const { outcome, text: _ } = await runFixture('ignore-term', [], {
    io: abortAtFirstOutput('lost'),
  });
  expect(outcome).toMatchObject({
    kind: 'cancelled',
    error: 'stopped: lost',
    signal: 'SIGKILL',
    content: 'ready\nno',
  });
});

test('a run that was cancelled before it began starts nothing', async () => {
  const pids: number[] = [];
  const { outcome } = await runFixture('hang', [], {
    io: { signal: AbortSignal.abort('cancelled'), onSpawn: (pid) => void pids.push(pid) },
  });
  expect(outcome).toMatchObject({ kind: 'cancelled', errorCode: 'cancelled', content: null });
  expect(pids).toEqual([]);
});

test('a turn that takes too long is timed out', async () => {
  const { outcome } = await runFixture('ignore-term', [], { runner: { timeoutSeconds: 0.6 } });
  expect(outcome).toMatchObject({
    kind: 'timed_out',
    errorCode: 'turn_timeout',
    error: 'did not end within 0.6 s',
    errorHint: 'Raise runners.fixture.timeoutSeconds in the configuration if it needs longer.',
    content: expect.stringContaining('ready'),
  });
});

test('an answer that comes before the cancel stands', async () => {
  const controller = new AbortController();
  const { outcome } = await runFixture('print', ['done'], { io: { signal: controller.signal } });
  controller.abort('cancelled');
  expect(outcome.kind).toBe('succeeded');
});

test('a grandchild that keeps stdout open holds the run for a moment at most, and does not outlive it', async () => {
  // It would hold it for ever.
  const { outcome } = await runFixture('leave-grandchild');
  expect(outcome).toMatchObject({ kind: 'succeeded', content: expect.stringMatching(/^\d+$/) });
  expect(isAlive(Number(outcome.content))).toBe(false);
});

test('a grandchild with its own session is ended when the run is cancelled', async () => {
  const { outcome } = await runFixture('leave-grandchild', ['own-output', 'and-hang'], {
    io: abortAtFirstOutput('cancelled'),
  });
  expect(outcome.kind).toBe('cancelled');
  expect(isAlive(Number(outcome.content))).toBe(false);
});

test('a member of the group that has dropped the marker is ended too', async () => {
  const script = 'env -i sleep 30 >/dev/null 2>&1 & echo $!';
  const { outcome } = await runFixture('print', [], {
    runner: { command: 'sh', args: ['-c', script] },
  });
  expect(outcome.kind).toBe('succeeded');
  expect(existsSync(`/proc/${outcome.content}`) && isAlive(Number(outcome.content))).toBe(false);
});
