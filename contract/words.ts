/** The closed lists that code, SQL, API and UI share. A word is added here or nowhere. */
import { z } from 'zod';

export const executionModes = ['SYNC', 'ASYNC_POLL', 'ASYNC_CALLBACK'] as const;
export const executionModeSchema = z.enum(executionModes, {
  error: 'must be one of SYNC, ASYNC_POLL, ASYNC_CALLBACK',
});
export type ExecutionMode = z.infer<typeof executionModeSchema>;

export const finalStatuses = ['completed', 'failed', 'cancelled', 'timed_out'] as const;
export const statuses = [
  'pending',
  'running',
  'waiting',
  'input_required',
  ...finalStatuses,
] as const;
export const statusSchema = z.enum(statuses);
export type Status = z.infer<typeof statusSchema>;
export type FinalStatus = (typeof finalStatuses)[number];

export function isFinal(status: Status): status is FinalStatus {
  return (finalStatuses as readonly string[]).includes(status);
}

/** `mark` is an entry about the session (a status, a gap); all other roles are something said. */
export const turnRoles = [
  'user',
  'callback',
  'assistant',
  /** A tool's call or result that stands alone. */
  'tool',
  'stdout',
  'stderr',
  'mark',
] as const;
export const turnRoleSchema = z.enum(turnRoles);

/** So begins a mark that holds a compaction's summary: the one that has words to be found. */
export const compactedMark = 'compacted: ';
export type TurnRole = z.infer<typeof turnRoleSchema>;

/** queued → handed (to a run that has not ended yet) → delivered, or undelivered: kept for the session. */
export const callbackStates = ['queued', 'handed', 'delivered', 'undelivered'] as const;
export const callbackStateSchema = z.enum(callbackStates);
export type CallbackState = z.infer<typeof callbackStateSchema>;

/** What becomes of a run whose host or process was lost. */
export const onLostPolicies = ['fail', 'rerun'] as const;
export const onLostSchema = z.enum(onLostPolicies);

export const outcomeKinds = ['succeeded', 'failed', 'timed_out', 'cancelled'] as const;
export const outcomeKindSchema = z.enum(outcomeKinds);

/** The two ways in which hooks come: by a plugin in the program, or by its hook commands. */
export const runtimePaths = ['plugin', 'legacy'] as const;
export const runtimePathSchema = z.enum(runtimePaths);
export type RuntimePath = z.infer<typeof runtimePathSchema>;

/** What a session is now; see domain/session-state.ts. */
export const sessionStates = ['active', 'idle', 'ended', 'bypassed'] as const;
export const sessionStateWordSchema = z.enum(sessionStates);
export type SessionStateWord = (typeof sessionStates)[number];

/** Why a prompt is answered with what it is answered with. */
export const promptReasons = [
  /** Callbacks were waiting, and stand in `inject`. */
  'callbacks',
  /** There is no memory yet that could say something. */
  'no_memory',
  /** The hook named no session. */
  'no_session',
  /** The session is bypassed, or the caller wants no hooks. */
  'off',
] as const;
export const promptReasonSchema = z.enum(promptReasons);
export type PromptReason = z.infer<typeof promptReasonSchema>;

/** Where a turn of a session came from; null for what we wrote ourselves. */
export const turnSources = ['hook', 'snapshot'] as const;
export type TurnSource = (typeof turnSources)[number];

/** How the parent of a session was found, the surest first. Only the last one is a guess. */
export const lineageRules = [
  'explicit',
  'spawned',
  'parent_agent',
  'subagent_start',
  'key_shape',
  'recency',
] as const;
export const lineageRuleSchema = z.enum(lineageRules);
export type LineageRule = z.infer<typeof lineageRuleSchema>;

/** Who may read an agent's memories besides itself. Transcripts are its own under every policy. */
export const readPolicies = ['isolated', 'shared', 'group'] as const;
export const readPolicySchema = z.enum(readPolicies);

/** What a token lets its holder do. */
export const permissions = ['remember', 'recall'] as const;
export const permissionSchema = z.enum(permissions);
export type Permission = z.infer<typeof permissionSchema>;

/** Tokens for others than the home's administrator, each for one agent. */
export const scopedRoles = ['operator', 'agent', 'readonly'] as const;
export const scopedRoleSchema = z.enum(scopedRoles);
export type ScopedRole = z.infer<typeof scopedRoleSchema>;

/** What a checkpoint of a session was taken for. */
export const checkpointTriggers = [
  'pre_compaction',
  'compaction',
  'session_end',
  'prompts',
  'explicit',
] as const;
export const checkpointTriggerSchema = z.enum(checkpointTriggers);
export type CheckpointTrigger = z.infer<typeof checkpointTriggerSchema>;
