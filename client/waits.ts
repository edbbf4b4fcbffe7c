/** Long waits in short pieces, so that no timeout in between (Node's own strikes at 300 s) can cut one. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { OperationInput, OperationOutput } from '../contract/operations.ts';
import type { SubAgentRecord } from '../contract/records.ts';
import { isFinal } from '../contract/words.ts';
import { findableBy } from './retry.ts';
import type { SendOperation } from './send-operation.ts';

/** Below the 60 s after which common proxies cut a silent answer. */
export const pieceSeconds = 50;
/** A server that is going down answers waits at once: it is not asked again faster than this. */
const pauseMs = 200;

/** Starts a sub-agent. SYNC: answers with the final record, or a running one once `waitSeconds` are over. */
export async function spawnAndWait<N extends 'runSubagent' | 'sendToSubagent'>(
  send: SendOperation,
  name: N,
  input: OperationInput<N>,
  signal: AbortSignal | undefined,
): Promise<SubAgentRecord> {
  const left = countdown(input.waitSeconds);
  const first = canWait(name, input)
    ? { ...input, waitSeconds: Math.min(pieceSeconds, secondsOf(input.waitSeconds)) }
    : input;
  const record: SubAgentRecord = await send(name, first);
  if (record.executionMode !== 'SYNC' || isFinal(record.status) || left() <= 0) return record;
  const { done, open } = await findableBy(
    `${record.id} was accepted and goes on: ask for it by this id once the server is up again (\`offshoot up\`).`,
    waitInPieces(send, { ids: [record.id], waitSeconds: left() }, signal),
  );
  return done[0] ?? open[0] ?? record;
}

/** Until it is over. What one answer has no room for is asked for as well. */
export async function waitInPieces(
  send: SendOperation,
  input: OperationInput<'waitSubagents'>,
  signal: AbortSignal | undefined,
): Promise<OperationOutput<'waitSubagents'>> {
  const left = countdown(input.waitSeconds);
  for (;;) {
    const seconds = Math.max(0, left());
    const startedAt = performance.now();
    const piece = { ...input, waitSeconds: Math.min(pieceSeconds, seconds) };
    const answer = await withTheRest(send, await send('waitSubagents', piece));
    const isOver = input.until === 'any' ? answer.done.length > 0 : answer.open.length === 0;
    if (isOver || left() <= 0) return answer;
    if (performance.now() - startedAt < pauseMs) {
      await sleep(Math.min(pauseMs, left() * 1000), undefined, signal ? { signal } : {});
    }
  }
}

async function withTheRest(
  send: SendOperation,
  first: OperationOutput<'waitSubagents'>,
): Promise<OperationOutput<'waitSubagents'>> {
  const whole = { ...first };
  while (whole.more.length > 0) {
    const next = await send('waitSubagents', { ids: whole.more, waitSeconds: 0 });
    whole.done = [...whole.done, ...next.done];
    whole.open = [...whole.open, ...next.open];
    whole.more = next.more;
  }
  return whole;
}

/** Nothing said means SYNC when running, and ASYNC_POLL when sending: only SYNC may carry a wait. */
function canWait(
  name: 'runSubagent' | 'sendToSubagent',
  input: { executionMode?: string | null | undefined },
): boolean {
  return (input.executionMode ?? (name === 'runSubagent' ? 'SYNC' : 'ASYNC_POLL')) === 'SYNC';
}

/** Seconds left; without a number there is no end. */
function countdown(waitSeconds: unknown): () => number {
  const until = performance.now() + secondsOf(waitSeconds) * 1000;
  return () => (until - performance.now()) / 1000;
}

function secondsOf(waitSeconds: unknown): number {
  return waitSeconds === undefined || waitSeconds === null ? Infinity : Number(waitSeconds);
}
