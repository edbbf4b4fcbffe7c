import type { CallbackState, ExecutionMode, FinalStatus } from '../contract/words.ts';

/** What others in this process want to hear of, told after COMMIT. Hints only: the rows are the truth. */
export type Change =
  | { kind: 'turn'; sessionId: number; turns: number; chars: number }
  /** It is another project's from now on, or was deleted: who follows it may not any more. */
  | { kind: 'moved'; sessionId: number }
  | { kind: 'accepted'; invocationId: string; session: string; runner: string; mode: ExecutionMode }
  | { kind: 'run began'; invocationId: string; runNo: number; hostId: string }
  | { kind: 'final'; invocationId: string; ended: Ended }
  /** A run's claim is over, well or not. */
  | { kind: 'run over'; invocationId: string; runNo: number }
  | { kind: 'callbacks'; state: Extract<CallbackState, 'queued' | 'delivered'>; count: number }
  | { kind: 'outbox' }
  /** It has no slot any more: a lease on it is over. */
  | { kind: 'released'; invocationId: string }
  /** Something a host should be told: a run to stop, or one to begin. */
  | { kind: 'orders'; hostId: string };

export interface Ended {
  status: FinalStatus;
  errorCode: string | null;
  mode: ExecutionMode;
  /** Since it was accepted. */
  seconds: number;
}

export type Listener = (change: Change) => void;

export interface Changes {
  listen(listener: Listener): () => void;
  publish(changes: Change[]): void;
}

export function createChanges(): Changes {
  const listeners = new Set<Listener>();
  return {
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    publish(changes) {
      for (const change of changes) for (const listener of listeners) listener(change);
    },
  };
}
