/** What a host says about itself in `_meta` of a tool call. Each host has names of its own. */
import { z } from 'zod';

const metaSchema = z
  .object({
    'claudecode/toolUseId': z.string().min(1),
    callId: z.string().min(1),
    sessionId: z.string().min(1),
    threadId: z.string().min(1),
  })
  .partial();

export interface HostMeta {
  toolCallId: string | null;
  session: { harness: string; sessionKey: string } | null;
}

/** Strange values are as good as none: a host may put anything there. */
export function readMeta(meta: unknown): HostMeta {
  const read = metaSchema.safeParse(meta);
  if (!read.success) return { toolCallId: null, session: null };
  const { callId, sessionId, threadId } = read.data;
  // Codex alone names threads and sessions; its hooks know a session by the same id, sub-agents included.
  const isCodex = threadId !== undefined;
  const sessionKey = sessionId ?? threadId;
  return {
    toolCallId: read.data['claudecode/toolUseId'] ?? (isCodex ? callId : undefined) ?? null,
    session: isCodex && sessionKey !== undefined ? { harness: 'codex', sessionKey } : null,
  };
}
