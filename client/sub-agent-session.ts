/** The library's shape of an invocation: the seed's fields to the letter, then ours. Absent is absent. */
import type { EndingErrorCode } from '../contract/errors.ts';
import type { SubAgentRecord, Turn } from '../contract/records.ts';
import type { ExecutionMode, Status } from '../contract/words.ts';

/** What a sub-agent is given beside its prompt. */
export interface SessionContext {
  /** Where it works. Default: its parent's, else the session's project, else a folder of its own. */
  workspacePath?: string | null;
  specId?: string | null;
  /** Files of the workspace that matter. */
  files?: string[] | null;
  /** Never stored or logged: kept in a 0600 file until the sub-agent has ended. */
  env?: Record<string, string> | null;
}

export interface SubAgentSession {
  id: string;
  runnerId: string;
  status: Status;
  createdAt: Date;
  completedAt?: Date;
  context: { workspacePath: string; specId?: string; prompt: string; files?: string[] };
  /** Also there after a failure, with what the agent had said so far. */
  result?: {
    content: string;
    tokenUsage?: { input: number; output: number };
    durationMs: number;
  };
  error?: string;

  title?: string;
  startedAt?: Date;
  errorCode?: EndingErrorCode;
  /** What to do about the error. */
  errorHint?: string;
  /** Why it is not running yet, or not ended yet. */
  pendingReason?: string;
  executionMode: ExecutionMode;
  agentId: string;
  sessionKey: string;
  parentSessionId?: string;
  rootSessionId: string;
  depth: number;
  detached: boolean;
  workflowId: string;
  temporalUrl?: string;
}

/** A turn of its transcript. */
export type TranscriptTurn = Omit<Turn, 'at'> & { at: Date };

export function toSession(record: SubAgentRecord): SubAgentSession {
  const { context, result, createdAt, startedAt, completedAt, ...rest } = record;
  const { tokenUsage, ...answer } = result ?? {};
  return {
    ...present(rest),
    createdAt: new Date(createdAt),
    ...(startedAt === null ? {} : { startedAt: new Date(startedAt) }),
    ...(completedAt === null ? {} : { completedAt: new Date(completedAt) }),
    context: present(context),
    ...(result === null ? {} : { result: { ...answer, ...present({ tokenUsage }) } }),
  } as SubAgentSession;
}

export function toTranscriptTurn(turn: Turn): TranscriptTurn {
  return { ...turn, at: new Date(turn.at) };
}

function present(fields: object): object {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  );
}
