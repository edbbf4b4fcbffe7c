/** Real workflows on the real engine; the store's side and the runner host are played by the test. */
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import type { ControlActivities } from '../../activities/control.ts';
import type { InvocationStep, SessionStep } from '../../contract/steps.ts';
import { installSdkRuntime } from '../../worker/sdk-runtime.ts';
import { testEngine } from '../support/test-engine.ts';

export interface Played {
  takeNextStep?(invocationId: string): Promise<InvocationStep>;
  takeNextSessionStep?(agentId: string, sessionKey: string): Promise<SessionStep>;
  cancelByHand?(invocationId: string): Promise<void>;
  runAgent?(invocationId: string): Promise<void>;
}

export interface Bench {
  client: Client;
  /** A queue of this test's own, for workflows and runs alike. */
  queue: string;
  /** A suffix that makes ids this test's own. */
  own: string;
}

// Once per test file; the SDK's own log would fill the screen.
installSdkRuntime(() => {});

const bundle = fileURLToPath(new URL('../../dist/workflow-bundle.js', import.meta.url));

export async function withWorker<T>(
  played: Played,
  run: (bench: Bench) => Promise<T>,
  /** Before anybody works: what is sent here arrives all at once. */
  prepare: (bench: Bench) => Promise<void> = async () => {},
): Promise<T> {
  const { address } = await testEngine();
  const own = randomUUID().slice(0, 8);
  const queue = `test-${own}`;
  const native = await NativeConnection.connect({ address });
  const connection = await Connection.connect({ address });
  const nothing = () => Promise.reject(new Error('not played in this test'));
  const activities: ControlActivities & { runAgent: (id: string) => Promise<void> } = {
    takeNextStep: played.takeNextStep ?? nothing,
    takeNextSessionStep: played.takeNextSessionStep ?? nothing,
    cancelByHand: played.cancelByHand ?? (async () => {}),
    runAgent: played.runAgent ?? nothing,
  };
  const bench = { client: new Client({ connection }), queue, own };
  try {
    await prepare(bench);
    const worker = await Worker.create({
      connection: native,
      taskQueue: queue,
      workflowBundle: { codePath: bundle },
      activities,
      shutdownGraceTime: 0,
      shutdownForceTime: '2s',
    });
    return await worker.runUntil(run(bench));
  } finally {
    await connection.close();
    await native.close();
  }
}

/** Asks again and again until the check passes; its last error if it never does. */
export async function eventually(check: () => Promise<unknown>, withinMs = 10_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    try {
      await check();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
