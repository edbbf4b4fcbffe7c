import type { ChildStart } from '../contract/steps.ts';

/** What makes one start of a workflow different from another of the same invocation. */
export const nameOfStart = (child: Pick<ChildStart, 'invocationId' | 'spawnNo' | 'acceptedAt'>) =>
  `${child.invocationId}#${child.spawnNo}#${child.acceptedAt}`;
