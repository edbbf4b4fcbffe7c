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

/** Children whose workflow is to be started: as many as one answer may hold, in count and in bytes. */
export interface ChildrenPage {
  children: ChildStart[];
  /** Set where there are more of them: to be asked for when these have been started. */
  hasMore?: true;
}

export type InvocationStep = ChildrenPage &
  (
    | { step: 'run'; queue: string; summary: string; details: string }
    | { step: 'wait'; details: string }
    | { step: 'done'; ending: Ending; attributes: Record<string, string> }
  );

export interface SessionStep extends ChildrenPage {
  details: string;
  /** As they are now: title and place may have become known since it began. Left out in older histories. */
  attributes?: Record<string, string>;
  /** Nothing is open: after this long without a word the workflow may end. Null = stay. */
  idleMs: number | null;
}
