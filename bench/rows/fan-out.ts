/**
 * Fifty children of one parent, asked for at once: until the engine has started the last one's workflow,
 * beside an owner that one signal tells to start fifty. The children do the same on both sides.
 */
import { randomUUID } from 'node:crypto';
import type { SubAgentRecord } from '../../contract/records.ts';
import { alternate } from '../alternate.ts';
import { echoProgram, withBare, type Bare } from '../bare/start.ts';
import { plainFigure, ratioFigure } from '../figure.ts';
import type { Row } from '../row.ts';
import { quantile } from '../statistics.ts';
import { endHolder, post, startHolder, untilClosed, withStack, type Stack } from '../stack.ts';

const CHILDREN = 50;
const each = Array.from({ length: CHILDREN }, (_, n) => n);

export const fanOutRow: Row = {
  name: 'fan-out',
  measure: ({ quick, bundle }) =>
    withStack({ limits: { slots: 5 } }, (stack) =>
      withBare(stack, { bundle, slots: 4 }, async (bare) => {
        const rounds = quick ? { rounds: 2, warmUp: 1 } : { rounds: 40, warmUp: 3 };
        const found = await alternate(
          rounds,
          () => ours(stack),
          () => bareFanOut(stack, bare),
        );
        const times = { ours: found.ours.map(({ startedMs }) => startedMs), floor: found.floor };
        const accepted = quantile(
          found.ours.map(({ acceptedMs }) => acceptedMs),
          0.99,
        );
        return [
          ratioFigure('50 children at once, last workflow started', times, { atMost: 1.2 }),
          plainFigure('  all 50 accepted, p99 over 40 rounds', accepted, 'ms', 120),
        ];
      }),
    ),
};

async function ours(stack: Stack): Promise<{ startedMs: number; acceptedMs: number }> {
  const parent = await startHolder(stack);
  const body = { runnerId: 'echo', prompt: 'x', executionMode: 'ASYNC_POLL' };
  const asked = { ...body, parentSessionId: parent.sessionKey };
  const at = Date.now();
  const begin = performance.now();
  const children = (await Promise.all(
    each.map(() => post(stack.server, '/api/subagents', asked)),
  )) as SubAgentRecord[];
  const acceptedMs = performance.now() - begin;
  await untilClosed(stack, ...children);
  const startedMs =
    (await lastStart(
      stack,
      children.map(({ workflowId }) => workflowId),
    )) - at;
  await endHolder(stack, parent);
  return { startedMs, acceptedMs };
}

async function bareFanOut(stack: Stack, bare: Bare): Promise<number> {
  const owner = await bare.start('bareOwner');
  const ids = each.map(() => `bare/${randomUUID()}`);
  const begun = ids.map((id) => bare.begun(id));
  const at = Date.now();
  await owner.signal('go', ids, echoProgram);
  await Promise.all(begun);
  await Promise.all(ids.map((id) => stack.engine.workflow.getHandle(id).result()));
  const startedMs = (await lastStart(stack, ids)) - at;
  await owner.terminate();
  return startedMs;
}

/** By the engine's own clock, which is this machine's. */
async function lastStart({ engine }: Stack, ids: string[]): Promise<number> {
  const found = await Promise.all(ids.map((id) => engine.workflow.getHandle(id).describe()));
  return Math.max(...found.map(({ startTime }) => startTime.getTime()));
}
