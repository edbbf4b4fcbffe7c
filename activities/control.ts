/** Activities of the control worker, which lives in the server: one store transaction each. */
import type { InvocationStep, SessionStep } from '../contract/steps.ts';
import type { Store } from '../store/index.ts';
import { cancelTree } from '../store/lifecycle/cancel.ts';
import { nextSessionStep, nextStep, type StepSurroundings } from '../store/lifecycle/next-step.ts';

export interface ControlDeps {
  store: Store;
  surroundings(): StepSurroundings;
}

export function createControlActivities({ store, surroundings }: ControlDeps) {
  return {
    takeNextStep(invocationId: string): Promise<InvocationStep> {
      return store.write((tx) => nextStep(tx, surroundings(), invocationId));
    },
    takeNextSessionStep(agentId: string, sessionKey: string): Promise<SessionStep> {
      return store.write((tx) => nextSessionStep(tx, surroundings(), agentId, sessionKey));
    },
    cancelByHand(invocationId: string): Promise<void> {
      return store.write((tx) =>
        cancelTree(tx, invocationId, { code: 'cancelled', reason: 'cancelled in the engine' }),
      );
    },
  };
}
export type ControlActivities = ReturnType<typeof createControlActivities>;
