/**
 * What a workflow may leave in the engine. What a child adds to its parent's is told by `npm run bench`
 * alone: how many closings share one workflow task is chance.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { bigPrompt, bigRunners, bodyMark, historyOf } from '../../bench/rows/histories.ts';
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

test('a large prompt and a large answer leave 18 events and 6 kB at most, and no word of theirs', async () => {
  const record = await stack.client.call('runSubagent', { runnerId: 'big', prompt: bigPrompt });
  expect(record.result?.content).toHaveLength(5_000_000);
  expect(record.result?.content).toContain(bodyMark);
  await untilClosed({ client: stack.client, engine }, record);
  const { events, bytes, text } = await historyOf(engine, record.workflowId);
  expect({ events, bytes }).toEqual({ events: within(18), bytes: within(6000) });
  expect(text).toContain('takeNextStep');
  expect(text).not.toContain(bodyMark);
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
