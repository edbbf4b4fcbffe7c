/** The operations, by the names under which contract/operations.ts declares them. */
import type { OperationName, OperationOutput, ParsedInput } from '../contract/operations.ts';
import type { Caller } from './caller.ts';
import type { Deps } from './deps.ts';
import { checkStore, takeBackup } from './backups.ts';
import { getTree } from './get-tree.ts';
import * as hooks from './hooks/index.ts';
import { exportSession } from './export-session.ts';
import { importSession } from './import-session.ts';
import { createToken } from './create-token.ts';
import { requirePermission } from './scope.ts';
import { getContext, writeCheckpoint } from './context.ts';
import * as entities from './entities.ts';
import { requireRunning } from './gate.ts';
import { claim } from './host/claim.ts';
import { hello } from './host/hello.ts';
import { report } from './host/report.ts';
import { sync } from './host/sync.ts';
import { issueHostToken, revokeHostToken } from './host/tokens.ts';
import { runSubagent } from './run-subagent.ts';
import { searchSessions } from './search-sessions.ts';
import { sendToSubagent } from './send-to-subagent.ts';
import { getSessionTranscript } from './session-transcript.ts';
import { getAgent, putAgent } from './agents.ts';
import * as states from './session-states.ts';
import * as sessions from './sessions.ts';
import * as subagents from './subagents.ts';
import { getHealth, listRunners } from './system.ts';
import { traced } from './traced.ts';

export type Handlers = {
  [N in OperationName]: (
    deps: Deps,
    caller: Caller,
    input: ParsedInput<N>,
  ) => Promise<OperationOutput<N>>;
};

const unguarded: Handlers = {
  runSubagent: traced('runSubagent', runSubagent),
  sendToSubagent: traced('sendToSubagent', sendToSubagent),
  getSubagent: subagents.getSubagent,
  listSubagents: subagents.listSubagents,
  waitSubagents: subagents.waitSubagents,
  cancelSubagent: subagents.cancelSubagent,
  deleteSubagent: subagents.deleteSubagent,
  getTranscript: subagents.getTranscript,
  getSpecHistory: subagents.getSpecHistory,
  registerSession: sessions.registerSession,
  deleteSession: sessions.deleteSession,
  getCallbacks: sessions.getCallbacks,
  ackCallbacks: sessions.ackCallbacks,
  searchSessions,
  getTree,
  getSessionTranscript,
  exportSession,
  importSession,
  hookSessionStart: hooks.hookSessionStart,
  hookUserPromptSubmit: hooks.hookUserPromptSubmit,
  hookSessionEnd: hooks.hookSessionEnd,
  hookPreCompaction: hooks.hookPreCompaction,
  hookCompactionComplete: hooks.hookCompactionComplete,
  hookSessionCheckpointExtract: hooks.hookSessionCheckpointExtract,
  hookSubagentStart: hooks.hookSubagentStart,
  hookSubagentStop: hooks.hookSubagentStop,
  hookStop: hooks.hookStop,
  listRunners,
  takeBackup,
  checkStore,
  getHealth,
  issueHostToken,
  revokeHostToken,
  listSessions: states.listSessions,
  getSession: states.getSession,
  bypassSession: states.bypassSession,
  renewSession: states.renewSession,
  getPresence: states.getPresence,
  getAgent,
  putAgent,
  createToken,
  getContext,
  writeCheckpoint,
  putEntity: entities.putEntity,
  getEntity: entities.getEntity,
  listEntities: entities.listEntities,
  deleteEntity: entities.deleteEntity,
};

type AnyHandler = (deps: Deps, caller: Caller, input: never) => Promise<unknown>;

/** The gate stands before each of them. */
export const handlers = Object.fromEntries(
  Object.entries<AnyHandler>(unguarded).map(([name, handle]) => [
    name,
    guarded(name as OperationName, handle),
  ]),
) as unknown as Handlers;

function guarded(name: OperationName, handle: AnyHandler): AnyHandler {
  return async (deps, caller, input) => {
    requirePermission(caller, name);
    requireRunning(deps, caller, name);
    return handle(deps, caller, input);
  };
}

/** What a runner host asks for; contract/store-api.ts has the shapes. */
export const hostHandlers = { hello, sync, claim, report };

export { transcriptRoots } from './hooks/index.ts';
export { dropOldSecrets } from './drop-old-secrets.ts';
export { createOneAtATime } from './one-at-a-time.ts';
export { SharedReads } from './shared-reads.ts';
export { watchSession } from './session-transcript.ts';
export { watchSubagent, type Watched } from './watch-subagent.ts';
export { isHostWelcome } from './host/tokens.ts';
export type { Caller } from './caller.ts';
export type { Deps, SecretsBox } from './deps.ts';
