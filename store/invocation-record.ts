/** The record of an invocation, as the outside sees it: what the agent said goes out without secrets. */
import { subAgentWorkflowId } from '../contract/names.ts';
import type { SubAgentRecord } from '../contract/records.ts';
import { redact } from '../domain/redact.ts';
import type { InvocationRow } from './invocations.ts';
import type { Words } from './words.ts';

/** What is only known outside the row: why it is pending, and where Temporal UI shows it. */
export interface RecordSurroundings {
  pendingReason: string | null;
  temporalUrl: (workflowId: string) => string | null;
}

export function invocationRecord(
  row: InvocationRow,
  words: Words,
  around: RecordSurroundings,
): SubAgentRecord {
  const workflowId = subAgentWorkflowId(row.id);
  return {
    id: row.id,
    runnerId: row.runner_id,
    status: row.status,
    createdAt: row.created_at,
    startedAt: row.started_at,
    completedAt: row.completed_at,
    context: {
      workspacePath: row.workspace_path,
      specId: row.spec_id,
      prompt: words.prompt,
      files: row.files_json === null ? null : (JSON.parse(row.files_json) as string[]),
    },
    result: resultOf(row, words),
    error: row.error === null ? null : redact(row.error),
    errorCode: row.error_code,
    errorHint: row.error_hint,
    pendingReason: around.pendingReason,
    title: row.title,
    agentId: row.agent_id,
    sessionKey: row.session_key,
    executionMode: row.execution_mode,
    parentSessionId: row.parent_session_id,
    rootSessionId: row.root_session_id,
    depth: row.depth,
    detached: row.detached === 1,
    workflowId,
    temporalUrl: around.temporalUrl(workflowId),
  };
}

function resultOf(
  row: InvocationRow,
  { result_content: content }: Words,
): SubAgentRecord['result'] {
  if (row.completed_at === null || content === null) return null;
  const hasUsage = row.token_input !== null && row.token_output !== null;
  return {
    content: redact(content),
    tokenUsage: hasUsage ? { input: row.token_input!, output: row.token_output! } : null,
    durationMs: row.duration_ms ?? 0,
  };
}
