/** Activities of the control worker, which lives in the server: one store transaction each. */
import type { InvocationStep, SessionStep } from '../contract/steps.ts';
import { reach } from '../faults/reach.ts';
import type { Store, Tx } from '../store/index.ts';
import { cancelTree } from '../store/lifecycle/cancel.ts';
import { nextSessionStep, nextStep, type StepSurroundings } from '../store/lifecycle/next-step.ts';

export interface ControlDeps {
  store: Store;
  surroundings(): StepSurroundings;
}

export function createControlActivities({ store, surroundings }: ControlDeps) {
  return {
    /**
     * `started`: children that the workflow has started, by name; they may not have begun.
     * `isCancelled`: whether the engine has asked it to cancel.
     */
    async takeNextStep(
      invocationId: string,
      started: string[] = [],
      isCancelled = false,
    ): Promise<InvocationStep> {
      const work = (tx: Tx) => nextStep(tx, surroundings(), invocationId, started, isCancelled);
      const step = await store.write(work);
      reach('step taken');
      return step;
    },
    async takeNextSessionStep(
      agentId: string,
      sessionKey: string,
      started: string[] = [],
    ): Promise<SessionStep> {
      const work = (tx: Tx) => nextSessionStep(tx, surroundings(), agentId, sessionKey, started);
      const step = await store.write(work);
      reach('session step taken');
      return step;
    },
    cancelByHand(invocationId: string): Promise<void> {
      return store.write((tx) =>
        cancelTree(tx, invocationId, { code: 'cancelled', reason: 'cancelled in the engine' }),
      );
    },
  };
}
export type ControlActivities = ReturnType<typeof createControlActivities>;
