/**
 * What a workflow may leave in the engine. What a child adds to its parent's is told by `npm run bench`
 * alone: how many closings share one workflow task is chance.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import {
  bigRunners,
  farthest,
  historyOf,
  runLarge,
  shownCharsMax,
  titleMax,
} from '../../bench/rows/histories.ts';
import { callbackRunners, runCallbackPair } from '../../bench/rows/callback-pair.ts';
import { stackRunners, untilClosed } from '../../bench/stack.ts';
import { readEngineFile } from '../../engine/engine-file.ts';
import { startStack } from './stack.ts';

let stack: Awaited<ReturnType<typeof startStack>>;
let connection: Connection;
let engine: Client;

beforeAll(async () => {
  const runners = { ...stackRunners, ...bigRunners, ...callbackRunners };
  stack = await startStack({ config: { runners } });
  connection = await Connection.connect({ address: readEngineFile(stack.home)!.address });
  engine = new Client({ connection });
});

afterAll(async () => {
  await connection?.close();
  await stack?.stop();
});

test('a large prompt and a large answer leave 18 events and 6 kB at most, with title, owner, all details and attributes', async () => {
  const history = await runLarge({ client: stack.client, engine }, titleMax);
  const { events, bytes, text, lacks } = history;
  expect({ events, bytes }).toEqual({ events: within(18), bytes: within(6000) });
  expect(text).toContain('takeNextStep');
  expect(lacks).toEqual([]);
  expect(farthest(history)).toEqual({ prompt: 0, answer: within(shownCharsMax.answer) });
});

test('of a prompt without a title its first 80 characters enter, of an answer its first 200, and no body', async () => {
  const history = await runLarge({ client: stack.client, engine }, null);
  const { prompt, answer } = shownCharsMax;
  expect([prompt, answer]).toEqual([80, 200]);
  expect(farthest(history)).toEqual({ prompt: within(prompt), answer: within(answer) });
});

test('one callback child costs its parent 44 events and 10 kB at most, its own run included', async () => {
  const { parent } = await runCallbackPair(stack);
  await untilClosed({ client: stack.client, engine }, parent);
  const { events, bytes } = await historyOf(engine, parent.workflowId);
  expect({ events, bytes }).toEqual({ events: within(44), bytes: within(10_000) });
});

/** A number that is there and not above; the number itself is told where it is. */
const within = (most: number) => ({
  asymmetricMatch: (found: unknown) => typeof found === 'number' && found > 0 && found <= most,
  toString: () => `at most ${most}`,
});
