import type { Tx } from './write-queue.ts';

/** As `sessions.bypassed` has it. `over`: it was bypassed when it ended, and has not begun again. */
export const bypassStates = { off: 0, on: 1, over: 2 } as const;

export function setBypassed(
  tx: Tx,
  sessionId: number,
  state: (typeof bypassStates)[keyof typeof bypassStates],
): void {
  tx.db.run('UPDATE sessions SET bypassed = :state WHERE id = :sessionId', { sessionId, state });
}
