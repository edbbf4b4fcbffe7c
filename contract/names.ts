/** Workflow ids, task queues, headers and environment names: built here and nowhere else. */

export const controlQueue = (homeId: string) => `offshoot-${homeId}-control`;
export const hostQueue = (homeId: string, hostId: string) => `offshoot-${homeId}-host-${hostId}`;

export const subAgentWorkflowId = (invocationId: string) => `subagent/${invocationId}`;
export const agentSessionWorkflowId = (agentId: string, sessionKey: string) =>
  `session/${agentId}/${sessionKey}`;

/** The runner host that is started beside the server. */
export const localHostId = 'local';

export const headers = {
  parentSession: 'x-agent-session-id',
  idempotencyKey: 'idempotency-key',
  /** On a hook whose answer nobody reads: mostly as it was kept while no server was there. */
  lateHook: 'x-offshoot-late-hook',
} as const;

/** Headers of hooks; the second of each is the name that connectors of Signet send. */
export const hookHeaders = {
  runtimePath: ['x-offshoot-runtime-path', 'x-signet-runtime-path'],
  noHooks: ['x-offshoot-no-hooks', 'x-signet-no-hooks'],
} as const;

/** What a child finds in its environment. */
export const childEnv = {
  sessionId: 'AGENT_SESSION_ID',
  url: 'OFFSHOOT_URL',
  token: 'OFFSHOOT_TOKEN',
  context: 'OFFSHOOT_CONTEXT',
  turn: 'OFFSHOOT_TURN',
  promptFile: 'OFFSHOOT_PROMPT_FILE',
  specId: 'OFFSHOOT_SPEC_ID',
  invocationId: 'OFFSHOOT_INVOCATION_ID',
  /** The marker by which stragglers are found and swept: home/host/invocation/runNo. */
  run: 'OFFSHOOT_RUN',
} as const;

/** The home in a marker: a copy of a home has the same id, and the agents of the other are not its own. */
export const markerHome = (homeId: string, folderMark: string) => `${homeId}-${folderMark}`;
export const runMarker = (homeId: string, hostId: string, invocationId: string, runNo: number) =>
  `${homeId}/${hostId}/${invocationId}/${runNo}`;
export const hostMarkerPrefix = (homeId: string, hostId: string) => `${homeId}/${hostId}/`;

/** Search attributes, all keywords. Clusters on SQL databases allow ten; Temporal UI lists them as columns. */
export const searchAttributes = {
  title: 'OffshootTitle',
  rootSession: 'OffshootRootSession',
  parentSession: 'OffshootParentSession',
  mode: 'OffshootMode',
  runner: 'OffshootRunner',
  status: 'OffshootStatus',
} as const;
