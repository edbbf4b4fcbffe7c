import {
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  condition,
  continueAsNew,
  proxyActivities,
  setCurrentDetails,
  sleep,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { LeaseEnd, RunAgentActivities } from '../activities/run-agent.ts';
import type { Ending, InvocationStep } from '../contract/steps.ts';
import { receivePokes } from './messages.ts';
import { attributePairs, lately, startChildren } from './start-children.ts';
import { cancelByHand, takeNextStep } from './store-steps.ts';

export interface SubAgentInput {
  invocationId: string;
}

export interface SubAgentResult {
  status: string;
  answer: string | null;
}

/**
 * One invocation: run → (callbacks: wait → run again)* → done. The store knows what is next, and this
 * workflow asks it whenever it is poked or a run has ended; so a repeated poke does no harm, and a
 * lost engine can be filled again from the store.
 */
export async function subAgent({ invocationId }: SubAgentInput): Promise<SubAgentResult> {
  const pokes = receivePokes();
  let lease: Lease | null = null;
  let isCancelled = false;
  let idleLeases = 0;
  const started = new Set<string>();

  void CancellationScope.current().cancelRequested.catch(async () => {
    isCancelled = true;
    // Cancelled in Temporal UI, perhaps: then the store has to hear of it. If it was the store that
    // asked for it, this changes nothing.
    await CancellationScope.nonCancellable(() => cancelByHand(invocationId));
    pokes.add();
  });

  return CancellationScope.nonCancellable(async () => {
    for (;;) {
      pokes.forget();
      const next = await takeNextStep(invocationId, lately(started), isCancelled);
      const hasMore = await startChildren(next, started);
      if (hasMore) continue;
      if (next.step === 'done') {
        // The request to cancel is on its way, so that it is cancelled in Temporal UI, too.
        const isAhead = next.ending.status === 'cancelled' && !isCancelled;
        if (isAhead && (await condition(() => isCancelled, REQUEST_PATIENCE))) continue;
        return finish(next.ending, next.attributes, isCancelled);
      }
      setCurrentDetails(next.details);
      if (next.step === 'run') {
        // Its host fell silent before it claimed this, and another one is to have it.
        if (lease && lease.queue !== next.queue) lease.giveUp();
        if (!lease) void run(next);
      }
      // Never with a lease in hand: the next run would take the process for lost.
      const isLong = workflowInfo().continueAsNewSuggested || pokes.areTooMany();
      if (isLong && !lease && !isCancelled) await continueAsNew({ invocationId });
      await condition(pokes.have);
    }
  });

  async function run(step: RunStep): Promise<void> {
    lease = takeLease(invocationId, step);
    const end = await lease.ended;
    idleLeases = end === 'nothing' ? idleLeases + 1 : 0;
    // Store and host agree within moments on what is to run; until then this must not spin.
    if (idleLeases > 1) await sleep(PAUSE);
    lease = null;
    pokes.add();
  }
}

type RunStep = Extract<InvocationStep, { step: 'run' }>;

const PAUSE = '1s';
/** By then the relay has sent it, unless the engine refuses what it asks. */
const REQUEST_PATIENCE = '2s';

interface Lease {
  queue: string;
  ended: Promise<LeaseEnd>;
  /** Ends the wait, and nothing else: no process depends on it. */
  giveUp(): void;
}

/** The activity is a lease on the process, not the process: when it is lost, the next one attaches. */
function takeLease(invocationId: string, step: RunStep): Lease {
  const { runAgent } = proxyActivities<RunAgentActivities>({
    taskQueue: step.queue,
    summary: step.summary,
    // The store ends what takes too long; this bound only has to be beyond all of its own.
    startToCloseTimeout: '31 days',
    heartbeatTimeout: '5s',
    retry: { initialInterval: '100ms', backoffCoefficient: 1.5, maximumInterval: '2s' },
  });
  const scope = new CancellationScope();
  // Ended by hand, given up, or at its very last bound: what there is to do now, the store knows.
  const ended = scope.run(() => runAgent(invocationId)).catch((): LeaseEnd => 'nothing');
  return { queue: step.queue, ended, giveUp: () => scope.cancel() };
}

function finish(
  ending: Ending,
  attributes: Record<string, string>,
  isCancelled: boolean,
): SubAgentResult {
  const pairs = attributePairs(attributes);
  if (pairs.length > 0) upsertSearchAttributes(pairs);
  setCurrentDetails(`**${ending.status}**`);
  const message = `${ending.status}${ending.error === null ? '' : `: ${ending.error}`}`;
  if (ending.status === 'completed' || ending.status === 'deleted') {
    return { status: ending.status, answer: ending.answer };
  }
  // So that Temporal UI shows how it ended without opening it.
  if (ending.status === 'cancelled' && isCancelled) {
    throw withoutStack(new CancelledFailure(message));
  }
  throw withoutStack(
    ApplicationFailure.create({
      message,
      type: ending.errorCode ?? ending.status,
      nonRetryable: true,
    }),
  );
}

/** How an agent ended says nothing of our code: its paths would stand in every history. */
function withoutStack<E extends Error>(failure: E): E {
  failure.stack = '';
  return failure;
}
