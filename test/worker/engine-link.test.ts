/** The server's link to an engine that is not well: a gRPC server of this file's own, which says what it is told to. */
import { createServer, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { installSdkRuntime } from '../../worker/sdk-runtime.ts';
import { withOperations } from '../operations/operations-fixture.ts';
import { withLink } from '../support/engine-link.ts';

installSdkRuntime(() => {});

const UNKNOWN = 2;
/** A frame that is not compressed and holds an empty message. */
const emptyMessage = Buffer.alloc(5);

interface FakeEngine {
  address: string;
  /** Names of the methods that were called. */
  calls: string[];
  close(): Promise<void>;
}

/** Answers each call with an empty message, and `StartWorkflowExecution` with that something went wrong. */
async function startFakeEngine(port = 0): Promise<FakeEngine> {
  const calls: string[] = [];
  const sessions = new Set<ServerHttp2Session>();
  const server = createServer();
  server.on('session', (session) => void sessions.add(session));
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {});
    // The SDK's worker asks, too, and would poll: it is for the relay alone.
    if (!String(headers['user-agent']).startsWith('grpc-node-js/')) return stream.close();
    const method = String(headers[':path']).split('/').at(-1)!;
    calls.push(method);
    const status = method === 'StartWorkflowExecution' ? UNKNOWN : 0;
    stream.respond(
      { ':status': 200, 'content-type': 'application/grpc' },
      { waitForTrailers: true },
    );
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': String(status) }));
    stream.end(status === 0 ? emptyMessage : undefined);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const session of sessions) session.destroy();
      }),
  };
}

async function until(what: string, isTrue: () => boolean): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!isTrue()) {
    if (Date.now() > deadline) throw new Error(`it did not come to this: ${what}`);
    await sleep(10);
  }
}

test('what the engine fails at is asked once and kept: the client has no retries of its own that would hide it', async () => {
  const engine = await startFakeEngine();
  try {
    await withOperations(async (room) => {
      const { id } = await room.start();
      const attempts = () =>
        room.store.db.get<{ attempts: number }>(
          'SELECT attempts FROM outbox WHERE target_invocation_id = :id',
          { id },
        )!.attempts;
      await withLink(room, engine.address, () =>
        until('the message was postponed', () => attempts() === 1),
      );
      const starts = engine.calls.filter((method) => method === 'StartWorkflowExecution');
      expect(starts).toHaveLength(1);
    });
  } finally {
    await engine.close();
  }
});

test('an engine that was away for longer than any first pause is looked for as often as before', async () => {
  let engine = await startFakeEngine();
  const { address } = engine;
  try {
    await withOperations((room) =>
      withLink(room, address, async (link) => {
        await until('it is connected', () => link.view().connected);
        await engine.close();
        await until('its loss is noticed', () => !link.view().connected);
        await sleep(6000);
        engine = await startFakeEngine(Number(address.split(':')[1]));
        const back = Date.now();
        await until('it is connected again', () => link.view().connected);
        // Half a second apart. With pauses that grow, the next look would be more than three seconds away.
        expect(Date.now() - back).toBeLessThan(2500);
      }),
    );
  } finally {
    await engine.close();
  }
});
