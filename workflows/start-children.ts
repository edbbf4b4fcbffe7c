import { ParentClosePolicy, startChild } from '@temporalio/workflow';
import { defineSearchAttributeKey, WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import type { ChildrenPage, ChildStart } from '../contract/steps.ts';
import { nameOfStart } from '../domain/name-of-start.ts';

/**
 * Starts what was asked for as children of this workflow, so that Temporal UI shows the true tree.
 * ABANDON, because an owner that ends or rolls over must not take its children with it.
 * Answers whether the store is to be asked for more: it names a child until that has begun, so to ask
 * it again because of children that were started already would be a spin.
 */
export async function startChildren(
  { children, hasMore }: ChildrenPage,
  started: Set<string>,
): Promise<boolean> {
  const fresh = children.filter((child) => !started.has(nameOfStart(child)));
  for (const child of fresh) started.add(nameOfStart(child));
  await Promise.all(fresh.map(start));
  return fresh.length > 0 && (hasMore === true || children.length >= UNSAID_MIN);
}

/** Histories from before it was said whether there are more: fewer than this were all. */
const UNSAID_MIN = 100;

/** The last ones of these, for the store to leave out: a child that has not begun yet need not be named again. */
export const lately = (started: Set<string>) => [...started].slice(-STARTED_MAX);

const STARTED_MAX = 500;

async function start(child: ChildStart): Promise<void> {
  try {
    await startChild('subAgent', {
      args: [{ invocationId: child.invocationId }],
      workflowId: child.workflowId,
      parentClosePolicy: ParentClosePolicy.ABANDON,
      // What a killed server had in hand is tried again after this, instead of after ten seconds.
      workflowTaskTimeout: '2s',
      staticSummary: child.summary,
      staticDetails: child.details,
      memo: child.memo,
      typedSearchAttributes: attributePairs(child.attributes),
    });
  } catch (error) {
    // Somebody has started it before us: that is what we wanted.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

export function attributePairs(attributes: Record<string, string>) {
  return Object.entries(attributes).map(([name, value]) => ({
    key: defineSearchAttributeKey(name, 'KEYWORD'),
    value,
  }));
}
