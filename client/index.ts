/** What `import 'offshoot'` gives. */
export { AppError, type ErrorCode } from '../contract/errors.ts';
export type { OperationInput, OperationName, OperationOutput } from '../contract/operations.ts';
export type { ExecutionMode, Status } from '../contract/words.ts';
export type { SubAgentRecord, Turn } from '../contract/records.ts';
export {
  createClient,
  type CallOptions,
  type ClientOptions,
  type OffshootClient,
} from './client.ts';
export { discover, type Discovered } from './discover.ts';
export type { EventOptions, SubAgentEvent } from './events.ts';
export { homeFolder } from './home-folder.ts';
export { ProblemError } from './problem-error.ts';
export {
  SubAgentSessionManager,
  type InvokeOptions,
  type ListFilter,
  type ManagerOptions,
  type SendOptions,
  type WaitOptions,
} from './session-manager.ts';
export type { SessionContext, SubAgentSession, TranscriptTurn } from './sub-agent-session.ts';
export {
  namedBy,
  ownSessionKey,
  parentOf,
  whoAsks,
  type Asker,
  type AskerEnvironment,
} from './who-asks.ts';
