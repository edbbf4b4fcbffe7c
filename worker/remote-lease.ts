/** The lease on a run of a host elsewhere. Such a host does not speak to the engine, so the server does. */
import type { RunHandle } from '../activities/run-agent.ts';
import { localHostId } from '../contract/names.ts';
import type { Store } from '../store/index.ts';
import { findInvocation } from '../store/invocations.ts';
import { liveRun } from '../store/lifecycle/claim.ts';

/** Null where the host beside us has it: then the workflow asks again. `over` where none has. */
export async function holdRemoteRun(store: Store, id: string): Promise<RunHandle | 'over' | null> {
  const hostId = liveRun(store, id)?.host_id ?? findInvocation(store.db, id)?.host_id;
  if (!hostId) return 'over';
  if (hostId === localHostId) return null;
  const reported = new Promise<void>((resolve) => {
    const stopListening = store.changes.listen((change) => {
      const isOver = change.kind === 'released' || change.kind === 'final';
      if (!isOver || change.invocationId !== id) return;
      stopListening();
      resolve();
    });
  });
  return { reported };
}
