/** What holds where nobody says otherwise. A red pin means: say so in the changelog, then change the pin. */
import { expect, test } from '@jest/globals';
import { configSchema } from '../../contract/config.ts';
import { defaults, limits } from '../../contract/limits.ts';

test('the defaults of the configuration are as they were', () => {
  const { limits: ofRuns, engine, backup } = configSchema.parse({});
  expect(ofRuns).toEqual({
    maxDepth: 5,
    maxChildren: 50,
    slots: 4,
    wallSeconds: 86_400,
    hostWaitSeconds: 600,
    leaseMinutes: 10,
    sessionIdleSeconds: 600,
    killGraceSeconds: 5,
  });
  expect(engine).toEqual({ retentionDays: 90, namespace: 'default', durable: false });
  expect(backup).toEqual({ everyHours: 24, keep: 7 });
});

test('what a caller waits, and how much of what is said is kept, is as it was', () => {
  expect(defaults).toMatchObject({
    executionMode: 'SYNC',
    sendExecutionMode: 'ASYNC_POLL',
    mcpWaitSeconds: 50,
    turnTimeoutSeconds: 1800,
    port: 8464,
  });
  expect(limits).toMatchObject({
    promptBytesMax: 16_777_216,
    resultBytesMax: 8_388_608,
    outputTurnBytesMax: 64_000,
    outputTurnMs: 200,
    outputBytesMax: 16_777_216,
    envelopeBodyBytesMax: 16_384,
  });
});
