import type { WorkflowHandle } from '@temporalio/client';

type Event = NonNullable<Awaited<ReturnType<WorkflowHandle['fetchHistory']>>['events']>[number];

/** A message, the three events of the task that it makes, and what the store said then. */
const PER_SIGNAL = 5;
/** Scheduled, begun, and given up: a busy server did not take it in time. */
const PER_MISSED_TASK = 3;

/**
 * How many events a history has but for those that are up to the moment: a workflow may be told the same
 * thing several times, and a loaded machine misses a task.
 */
export function stepsIn(events: Event[]): number {
  const signals = events.filter((event) => event.workflowExecutionSignaledEventAttributes);
  const missed = events.filter(
    (event) => event.workflowTaskTimedOutEventAttributes ?? event.workflowTaskFailedEventAttributes,
  );
  return events.length - PER_SIGNAL * signals.length - PER_MISSED_TASK * missed.length;
}
