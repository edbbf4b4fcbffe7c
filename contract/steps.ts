/** What a workflow is told when it asks the store what is next. Ids, names and short texts only. */
import type { FinalStatus } from './words.ts';

/** How a child's workflow is to be started, so that Temporal UI alone tells its story. */
export interface ChildStart {
  invocationId: string;
  workflowId: string;
  /** Another number than before: the engine has lost the workflow, and it is to be started again. */
  spawnNo: number;
  /** An id may come again: whoever deletes an invocation may ask for it anew with the same key. */
  acceptedAt: string;
  summary: string;
  details: string;
  memo: Record<string, string | number | null>;
  /** Only attributes that the namespace knows: an unknown one would poison its owner's task. */
  attributes: Record<string, string>;
}

export interface Ending {
  status: FinalStatus | 'deleted';
  error: string | null;
  errorCode: string | null;
  /** The first words of the answer. */
  answer: string | null;
}

export type InvocationStep =
  | { step: 'run'; queue: string; summary: string; details: string; children: ChildStart[] }
  | { step: 'wait'; details: string; children: ChildStart[] }
  | { step: 'done'; ending: Ending; attributes: Record<string, string>; children: ChildStart[] };

export interface SessionStep {
  details: string;
  children: ChildStart[];
  /** Nothing is open: after this long without a word the workflow may end. Null = stay. */
  idleMs: number | null;
}
