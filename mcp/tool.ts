/** What a tool is, and what one call of it is given. */
import type { z } from 'zod';
import type { Asker, OffshootClient } from '../client/index.ts';

export interface ToolDeclaration {
  name: string;
  title: string;
  /** Written for a model: what it does, when to use it, what comes back, what to do next. */
  description: string;
  input: z.ZodType;
  output: z.ZodType;
  annotations: ToolAnnotations;
}
export interface ToolAnnotations {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

export interface Tool extends ToolDeclaration {
  run: (call: ToolCall, input: unknown) => Promise<ToolAnswer>;
}

export interface ToolCall {
  client: OffshootClient;
  asker: Asker;
  /** Session key of who asks; null when nothing says it. */
  ownSession: () => Promise<string | null>;
  /** The same, known to the server from then on. */
  registeredSession: () => Promise<string | null>;
  /** The host's id of this tool call, where it tells one. */
  toolCallId: string | null;
  /** Where the agent works that calls us. */
  cwd: string;
  /** Aborted when the host takes its request back. It ends our waiting, not the child. */
  signal: AbortSignal;
}

export interface ToolAnswer {
  text: string;
  structured: Record<string, unknown>;
}

/** Ties a tool's schemas to its function, so that input is parsed once and answers fit. */
export function defineTool<I extends z.ZodType, O extends z.ZodType<Record<string, unknown>>>(
  declaration: ToolDeclaration & { input: I; output: O },
  run: (call: ToolCall, input: z.output<I>) => Promise<{ text: string; structured: z.input<O> }>,
): Tool {
  return {
    ...declaration,
    run: async (call, input) => {
      const { text, structured } = await run(call, input as z.output<I>);
      return { text, structured: structured as Record<string, unknown> };
    },
  };
}
