/** What a runner is given and what it brings back. */
import { z } from 'zod';
import { endingErrorCodes } from './errors.ts';
import { onLostSchema, outcomeKindSchema } from './words.ts';

export const tokenUsageSchema = z.object({
  input: z.number().int().min(0),
  output: z.number().int().min(0),
});
export type TokenUsage = z.infer<typeof tokenUsageSchema>;

/** Dotted paths into a program's JSON answer. */
export const resultPathSchema = z.union(
  [
    z.string().min(1).describe('Path of the answer; usage and is_error are looked for beside it.'),
    z.strictObject({
      content: z.string().min(1),
      tokensInput: z.string().min(1).optional(),
      tokensOutput: z.string().min(1).optional(),
      isError: z.string().min(1).optional(),
    }),
  ],
  {
    error:
      'must be a path such as `result`, or paths by name: content, and if wanted tokensInput, tokensOutput, isError',
  },
);
export type ResultPath = z.infer<typeof resultPathSchema>;

/** A command runner with every default filled in. */
export const commandRunnerSchema = z.object({
  id: z.string(),
  kind: z.literal('command'),
  command: z.string(),
  args: z.array(z.string()),
  env: z.record(z.string(), z.string()),
  promptVia: z.enum(['stdin', 'arg', 'file']),
  result: z.enum(['text', 'json']),
  resultPath: resultPathSchema.nullable(),
  turns: z.boolean(),
  onLost: onLostSchema,
  timeoutSeconds: z.number(),
  /** The demo agent: each machine has it in a place of its own. */
  builtIn: z.literal(true).optional(),
});
export type CommandRunner = z.infer<typeof commandRunnerSchema>;

/** One run: one turn of a program, with everything it needs. Secret values are in `env` only. */
export const runSpecSchema = z.object({
  invocationId: z.string(),
  runNo: z.number().int(),
  turn: z.number().int(),
  sessionKey: z.string(),
  agentId: z.string(),
  parentSessionId: z.string().nullable(),
  rootSessionId: z.string(),
  depth: z.number().int(),
  prompt: z.string(),
  workspacePath: z.string(),
  specId: z.string().nullable(),
  files: z.array(z.string()),
  /** What its parent knew; null where there was nothing to tell. */
  inheritedContext: z.string().nullable().default(null),
  env: z.record(z.string(), z.string()),
  runner: commandRunnerSchema,
  /** The address and token by which the child speaks to Offshoot. */
  url: z.string(),
  token: z.string(),
  /** The span within which it runs; null where traces are off. */
  traceparent: z.string().nullable().default(null),
});
export type RunSpec = z.infer<typeof runSpecSchema>;

/** One shape for every ending of a run, good or bad. The kind is decided where the process is owned. */
export const outcomeSchema = z.object({
  kind: outcomeKindSchema,
  content: z.string().nullable(),
  tokenUsage: tokenUsageSchema.nullable(),
  error: z.string().nullable(),
  errorCode: z.enum(endingErrorCodes).nullable(),
  errorHint: z.string().nullable(),
  exitCode: z.number().int().nullable(),
  signal: z.string().nullable(),
});
export type Outcome = z.infer<typeof outcomeSchema>;

export const runEventSchema = z.object({
  stream: z.enum(['stdout', 'stderr', 'mark']),
  text: z.string(),
  at: z.iso.datetime(),
});
export type RunEvent = z.infer<typeof runEventSchema>;
