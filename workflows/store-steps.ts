/** The store's side, as local activities: one short idempotent SQLite transaction each. */
import { proxyLocalActivities } from '@temporalio/workflow';
import type { ControlActivities } from '../activities/control.ts';

export const { takeNextStep, takeNextSessionStep, cancelByHand } =
  proxyLocalActivities<ControlActivities>({
    // The store is in the same process; a busy disk is waited for, a closing one is left to a retry.
    startToCloseTimeout: '30s',
    retry: { initialInterval: '50ms', maximumInterval: '2s' },
  });
