/** leanspec 32-35: output as it comes, every line once, in order, bounded, safe to store. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { limits } from '../../contract/limits.ts';
import type { RunEvent } from '../../contract/run.ts';
import { isAlive, runFixture } from './run-fixture.ts';

test('every line comes once, in order, labelled, and nothing after the end', async () => {
  const events: RunEvent[] = [];
  const { outcome } = await runFixture('streams', [], {
    io: { onEvent: (event) => void events.push(event) },
  });
  const atEnd = events.length;
  const said = (stream: string) =>
    events.filter((event) => event.stream === stream).map((event) => event.text);
  expect(said('stdout').join('')).toBe('out 1\nout 2\nout 3\nout 4\nout 5\n');
  expect(said('stderr').join('')).toBe('err 1\nerr 2\nerr 3\nerr 4\nerr 5\n');
  expect(said('mark')).toEqual([]);
  expect(outcome.content).toBe('out 1\nout 2\nout 3\nout 4\nout 5');
  await sleep(2 * limits.outputTurnMs);
  expect(events).toHaveLength(atEnd);
});

test('half a line is seen while the program goes on', async () => {
  const seen: { text: string; at: number }[] = [];
  const { outcome } = await runFixture('half-line', [], {
    io: { onEvent: (event) => void seen.push({ text: event.text, at: Date.now() }) },
  });
  expect(seen.map((event) => event.text)).toEqual(['first ha', 'lf\nlast line without an end']);
  expect(seen[1]!.at - seen[0]!.at).toBeGreaterThan(200);
  expect(outcome.content).toBe('first half\nlast line without an end');
});

test('a character that comes in pieces is whole', async () => {
  const { outcome, text } = await runFixture('bytes', ['61f0', '9f91', 'a9c3', 'a4']);
  expect(text('stdout')).toBe('a👩ä');
  expect(outcome.content).toBe('a👩ä');
});

test('bytes that are no text become U+FFFD, half a character at the end too [leanspec 35]', async () => {
  const { outcome, text } = await runFixture('bytes', ['61ff62', '00', '63e282']);
  expect(text('stdout')).toBe('a\uFFFDb\uFFFDc\uFFFD');
  expect(outcome.content).toBe('a\uFFFDb\uFFFDc\uFFFD');
});

test('100 MB of output are read in bounded memory and kept in part, and the rest is counted [leanspec 34]', async () => {
  global.gc?.();
  const before = process.memoryUsage().rss;
  let most = 0;
  let kept = 0;
  let largest = 0;
  const marks: string[] = [];
  const { outcome } = await runFixture('flood', ['100'], {
    io: {
      onEvent: (event) => {
        most = Math.max(most, process.memoryUsage().rss);
        if (event.stream === 'mark') marks.push(event.text);
        else kept += event.text.length;
        largest = Math.max(largest, event.text.length);
      },
    },
  });
  most = Math.max(most, process.memoryUsage().rss);
  expect(outcome.kind).toBe('succeeded');
  expect(kept).toBe(limits.outputBytesMax);
  expect(largest).toBeLessThanOrEqual(limits.outputTurnBytesMax);
  expect(marks).toEqual([
    expect.stringContaining(`${100_000_000 - limits.outputBytesMax} bytes of stdout`),
  ]);
  expect(outcome.content).toContain('\n0000160000 ');
  // What is kept, several times over, and what the collector has not fetched yet.
  expect(most - before).toBeLessThan(150_000_000);
});

test('a slow receiver slows the program down and loses nothing', async () => {
  let open = 0;
  let atOnce = 0;
  const texts: string[] = [];
  const { outcome } = await runFixture('flood', ['2'], {
    io: {
      onEvent: async (event) => {
        open += 1;
        atOnce = Math.max(atOnce, open);
        texts.push(event.text);
        await sleep(10);
        open -= 1;
      },
    },
  });
  expect(atOnce).toBe(1);
  expect(texts.join('')).toHaveLength(2_000_000);
  expect(texts.every((text) => text.endsWith('\n'))).toBe(true);
  expect(outcome.content).toHaveLength(1_999_999);
});

test('while a receiver is busy the program is held, and so is our memory', async () => {
  const pids: number[] = [];
  let wasAlive: boolean | null = null;
  const { outcome } = await runFixture('flood', ['20'], {
    io: {
      onSpawn: (pid) => void pids.push(pid),
      onEvent: async () => {
        if (wasAlive !== null) return;
        // Four times as long as it needs when nobody holds it.
        await sleep(1000);
        wasAlive = isAlive(pids[0]!);
      },
    },
  });
  expect(wasAlive).toBe(true);
  expect(outcome.kind).toBe('succeeded');
});

test('what an ended program has written is not lost to a receiver that is slow', async () => {
  const texts: string[] = [];
  await runFixture('flood', ['0.3'], {
    io: {
      onEvent: async (event) => {
        texts.push(event.text);
        // Longer in all than the streams of an ended program get to run dry.
        await sleep(600);
      },
    },
  });
  expect(texts.join('')).toHaveLength(300_000);
});

test('a receiver that fails ends the run, and its error is thrown', async () => {
  const pids: number[] = [];
  const running = runFixture('hang', [], {
    io: {
      onEvent: () => {
        throw new Error('the disk is full');
      },
      onSpawn: (pid) => void pids.push(pid),
    },
  });
  await expect(running).rejects.toThrow('the disk is full');
  expect(() => process.kill(pids[0]!, 0)).toThrow();
});

test('a program that closes stdout and runs on is waited for', async () => {
  const { outcome } = await runFixture('close-stdout');
  expect(outcome).toMatchObject({ kind: 'failed', exitCode: 5, content: 'early answer' });
});
