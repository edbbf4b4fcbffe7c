/** The floors' processes beside a stack, on its engine. */
import { randomUUID } from 'node:crypto';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WorkflowHandle } from '@temporalio/client';
import { createTransport, type Transport } from '../../client/transport.ts';
import type { Stack } from '../stack.ts';
import type { Program, Spawned } from './activities.ts';

export const echoProgram: Program = { command: 'echo', args: ['hello'] };

export interface Bare {
  /** How ours are started, too: the options that cost something are the same. */
  start(type: string, ...args: unknown[]): Promise<WorkflowHandle>;
  /** From the start of a workflow to its end. */
  run(program: Program): Promise<Spawned>;
  /** Resolves when its program is about to be spawned. */
  begun(workflowId: string): Promise<void>;
}

export async function withEcho<T>(
  { home }: Pick<Stack, 'home'>,
  use: (echo: Transport) => Promise<T>,
): Promise<T> {
  return withProcess(['echo', join(home, 'floor')], ({ ready }) => {
    const url = `http://127.0.0.1:${(ready as { port: number }).port}`;
    return use(createTransport({ url, token: 'none', retryMs: 0 }));
  });
}

export async function withBare<T>(
  { engine, engineAddress }: Stack,
  { bundle, slots }: { bundle: string; slots: number },
  use: (bare: Bare) => Promise<T>,
): Promise<T> {
  return withProcess(['control', engineAddress, bundle], () =>
    withProcess(['host', engineAddress, String(slots)], ({ child }) => {
      const start: Bare['start'] = (type, ...args) =>
        engine.workflow.start(type, {
          ...{ args, taskQueue: 'bare-control', workflowId: `bare/${randomUUID()}` },
          workflowTaskTimeout: '2s',
        });
      return use({
        start,
        run: async (program) => (await (await start('bareRun', program)).result()) as Spawned,
        begun: hear(child),
      });
    }),
  );
}

export async function bundleBare(file: string): Promise<void> {
  await withProcess(['bundle', file], async () => {});
}

/** Answers who waits for the word that a workflow's program is about to be spawned. */
function hear(child: ChildProcess): Bare['begun'] {
  const waiting = new Map<string, () => void>();
  child.on('message', ({ begun = '' }: { begun?: string }) => {
    waiting.get(begun)?.();
    waiting.delete(begun);
  });
  return (workflowId) => new Promise((resolve) => waiting.set(workflowId, resolve));
}

async function withProcess<T>(
  args: string[],
  use: (process: { child: ChildProcess; ready: unknown }) => Promise<T>,
): Promise<T> {
  const child = fork(fileURLToPath(new URL('./main.js', import.meta.url)), args);
  const exited = once(child, 'exit');
  try {
    const died = exited.then(() => {
      throw new Error(`the process ${args[0]} of the floors ended before it was ready`);
    });
    died.catch(() => {});
    const [ready] = (await Promise.race([once(child, 'message'), died])) as [unknown];
    return await use({ child, ready });
  } finally {
    if (child.connected) child.disconnect();
    await exited;
  }
}
