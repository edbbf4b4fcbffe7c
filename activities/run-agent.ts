/** The activity of a runner host: a lease on one process. The process does not depend on it. */
import { Context } from '@temporalio/activity';
import { reach } from '../faults/reach.ts';

/** A run that is under way in this process. */
export interface RunHandle {
  /** Resolves when the run's outcome has reached the store. */
  reported: Promise<void>;
}

/** `ran`: the run that this lease was for is over, now or before it came. `nothing`: there is none to be had here. */
export type LeaseEnd = 'ran' | 'nothing';

export interface RunAgentDeps {
  /** Claims the invocation's next run and starts it, or attaches to the one under way. */
  holdRun(invocationId: string): Promise<RunHandle | 'over' | null>;
}

/** Twice within the heartbeat timeout of 5 s, with room for a busy machine. */
const HEARTBEAT_MS = 1500;

export function createRunAgentActivities({ holdRun }: RunAgentDeps) {
  return {
    async runAgent(invocationId: string): Promise<LeaseEnd> {
      reach('lease taken');
      const context = Context.current();
      const timer = setInterval(() => context.heartbeat(), HEARTBEAT_MS);
      try {
        const run = await Promise.race([holdRun(invocationId), context.cancelled]);
        // Losing the lease ends this wait and not the run: whoever holds the next lease attaches.
        if (!run) return 'nothing';
        if (run === 'over') return 'ran';
        await Promise.race([run.reported, context.cancelled]);
        reach('lease over');
        return 'ran';
      } finally {
        clearInterval(timer);
      }
    },
  };
}
export type RunAgentActivities = ReturnType<typeof createRunAgentActivities>;
