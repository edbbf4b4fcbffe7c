import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startStack } from './stack.ts';

let stack: Awaited<ReturnType<typeof startStack>>;
beforeAll(async () => void (stack = await startStack()), 60_000);
afterAll(() => stack.stop(), 60_000);

test('a SYNC call answers with the result', async () => {
  const record = await stack.client.call('runSubagent', { runnerId: 'demo', prompt: 'say done' });
  expect(record).toMatchObject({ status: 'completed', result: { content: 'done' } });
});
