/** What the HTTP surface is given. It asks for nothing else, so it runs in process with fakes. */
import type { OperationName, OperationOutput, ParsedInput } from '../contract/operations.ts';
import type { SubAgentRecord, Turn } from '../contract/records.ts';
import type {
  ClaimAnswer,
  ClaimRequest,
  HelloAnswer,
  HelloRequest,
  ReportAnswer,
  ReportRequest,
  SyncAnswer,
  SyncRequest,
} from '../contract/store-api.ts';
import type { SessionTurn } from '../contract/transcripts.ts';
import type { TokenClaims } from '../domain/token.ts';
import type { Caller } from '../operations/caller.ts';

export interface ApiDeps {
  run: RunOperation;
  /** Turns after `after`, replayed and then live; ends after `end`, or when the caller has gone. */
  watch: (caller: Caller, request: { id: string; after: number }) => AsyncIterable<WatchItem>;
  /** Turns of a session after `after`, replayed and then live, until the caller has gone. */
  watchSession: (
    caller: Caller,
    request: { key: string; agentId: string | undefined; after: number },
  ) => AsyncIterable<WatchItem>;
  host: HostHandlers;
  /** Whether a runner host's token still holds. */
  isHostWelcome: (claims: TokenClaims) => boolean;
  /** Signs the tokens of this home. */
  secret: string;
  /** The server's own `host:port` names; loopback names need not be listed. */
  allowedHosts: () => string[];
  version: string;
  /** In Prometheus' text format; null where they are turned off. */
  metrics: () => string | null;
  log: ApiLog;
}

export type RunOperation = <N extends OperationName>(
  name: N,
  caller: Caller,
  input: ParsedInput<N>,
) => Promise<OperationOutput<N>>;

export type WatchItem =
  | { id: number; event: 'turn'; data: Turn | SessionTurn }
  | { id: number; event: 'end'; data: SubAgentRecord };

export interface HostHandlers {
  hello: (caller: Caller, request: HelloRequest) => Promise<HelloAnswer>;
  sync: (caller: Caller, request: SyncRequest) => Promise<SyncAnswer>;
  claim: (caller: Caller, request: ClaimRequest) => Promise<ClaimAnswer>;
  report: (caller: Caller, request: ReportRequest) => Promise<ReportAnswer>;
}

export interface ApiLog {
  error: (message: string, details: Record<string, unknown>) => void;
}
