import type { SessionState } from '../../contract/records.ts';

export const time = '2026-01-01T00:00:00.000Z';

/** A session as it is now. */
export const sessionOf = (key: string, fields: Partial<SessionState> = {}): SessionState => ({
  key,
  agentId: 'default',
  runtimePath: 'unknown',
  claimedAt: time,
  expiresAt: null,
  bypassed: false,
  state: 'active',
  kind: 'external',
  harness: 'codex',
  project: '/work/here',
  title: null,
  firstWords: null,
  endedAt: null,
  parentSessionId: null,
  rootSessionId: key,
  rule: null,
  depth: 0,
  openChildren: 0,
  waitingCallbacks: 0,
  lastActivityAt: time,
  ...fields,
});
