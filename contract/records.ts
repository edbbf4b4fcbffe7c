/** What the system answers of invocations and sessions; of itself: system-records.ts. Dates are ISO text on the wire; absent values are null. */
import { z } from 'zod';
import { endingErrorCodes } from './errors.ts';
import { limits } from './limits.ts';
import { tokenUsageSchema } from './run.ts';
import {
  callbackStateSchema,
  checkpointTriggerSchema,
  executionModeSchema,
  lineageRuleSchema,
  readPolicySchema,
  runtimePaths,
  sessionStateWordSchema,
  statusSchema,
  turnRoleSchema,
  type SessionStateWord,
} from './words.ts';

const time = z.iso.datetime();

export const subAgentRecordSchema = z.object({
  id: z.string().describe('Invocation id, sub_…'),
  runnerId: z.string(),
  status: statusSchema,
  createdAt: time,
  startedAt: time.nullable(),
  completedAt: time.nullable(),
  context: z.object({
    workspacePath: z.string(),
    specId: z.string().nullable(),
    prompt: z.string(),
    files: z.array(z.string()).nullable(),
  }),
  result: z
    .object({
      content: z.string(),
      tokenUsage: tokenUsageSchema.nullable(),
      durationMs: z.number(),
    })
    .nullable()
    .describe('Also there after a failure, with what the agent had said so far.'),
  error: z.string().nullable(),
  errorCode: z.enum(endingErrorCodes).nullable(),
  errorHint: z.string().nullable(),
  pendingReason: z.string().nullable().describe('Why it is not running yet, or not ended yet.'),
  title: z.string().nullable(),
  agentId: z.string(),
  sessionKey: z.string(),
  executionMode: executionModeSchema,
  parentSessionId: z.string().nullable(),
  rootSessionId: z.string(),
  depth: z.number().int(),
  detached: z.boolean(),
  workflowId: z.string(),
  temporalUrl: z.string().nullable(),
});
export type SubAgentRecord = z.infer<typeof subAgentRecordSchema>;

export const turnSchema = z.object({
  seq: z.number().int().describe('Its number in the session: they are counted from 1 as they come'),
  role: turnRoleSchema,
  at: time,
  text: z.string(),
  invocationId: z.string().nullable(),
  runNo: z.number().int().nullable(),
  late: z.boolean().describe('Came from a run that had lost its claim.'),
});
export type Turn = z.infer<typeof turnSchema>;

export const callbackSchema = z.object({
  id: z.string().describe('cb_…'),
  invocationId: z.string(),
  status: statusSchema,
  state: callbackStateSchema,
  createdAt: time,
  envelope: z.string().describe('The message as the parent reads it'),
});
export type Callback = z.infer<typeof callbackSchema>;

export const sessionRecordSchema = z.object({
  sessionKey: z.string(),
  agentId: z.string(),
  kind: z.enum(['external', 'managed']),
  harness: z.string().nullable(),
  project: z.string().nullable(),
  title: z.string().nullable(),
  parentSessionId: z.string().nullable(),
  rootSessionId: z.string(),
  depth: z.number().int(),
  createdAt: time,
  updatedAt: time,
});
export type SessionRecord = z.infer<typeof sessionRecordSchema>;

const stateSchema = sessionStateWordSchema.describe(
  '`active`: something that we run is open on it, or its program was heard of in the last four hours; `idle`: neither; `ended`: its program said so; `bypassed`: hooks do nothing for it',
);
const firstWordsSchema = z
  .string()
  .nullable()
  .describe('How its first prompt begins, without secrets; null before there is one');

/** A session as it is now. The first fields are the seed's. */
export const sessionStateSchema = z.object({
  key: z.string(),
  agentId: z.string(),
  runtimePath: z.enum([...runtimePaths, 'unknown']).describe('`unknown`: no path holds it'),
  claimedAt: time.describe('Where no path holds it: when it was heard of first'),
  expiresAt: time.nullable(),
  bypassed: z.boolean(),
  state: stateSchema,
  kind: z.enum(['external', 'managed']),
  harness: z.string().nullable(),
  project: z.string().nullable(),
  title: z.string().nullable(),
  firstWords: firstWordsSchema,
  endedAt: time.nullable(),
  parentSessionId: z.string().nullable(),
  rootSessionId: z.string(),
  rule: lineageRuleSchema.nullable().describe('How the parent was found'),
  depth: z.number().int(),
  openChildren: z
    .number()
    .int()
    .describe(
      'Sessions that it asked for and that are at work; of another program, heard of in the last four hours',
    ),
  waitingCallbacks: z.number().int(),
  lastActivityAt: time,
});
export type SessionState = z.infer<typeof sessionStateSchema>;

export const presenceSchema = z.object({
  agentId: z.string(),
  harness: z.string().nullable(),
  sessions: z.number().int(),
  lastActivityAt: time,
});

export const agentRecordSchema = z.object({
  id: z.string(),
  name: z.string(),
  readPolicy: readPolicySchema,
  policyGroup: z.string().nullable(),
});
export type AgentRecord = z.infer<typeof agentRecordSchema>;

export const checkpointSchema = z.object({
  sessionKey: z.string(),
  agentId: z.string(),
  seq: z.number().int().describe('The last turn that it covers'),
  trigger: checkpointTriggerSchema,
  digest: z.string().describe('What a child reads of it; the beginning of a long one'),
  createdAt: time,
});

/** Where an inherited context came from. */
const contextSourcesSchema = z.object({
  parentSessionId: z.string(),
  checkpoint: z
    .object({ seq: z.number().int(), trigger: checkpointTriggerSchema, at: time })
    .nullable()
    .describe('`seq` is the last turn that it covers'),
  turns: z
    .array(z.object({ fromSeq: z.number().int(), toSeq: z.number().int() }))
    .describe(
      'Which turns were told word for word, in the order in which they are read: by their `seq`, both ends included. Of tools and marks between them nothing is told',
    ),
  entities: z.array(z.string()),
  constraints: z
    .number()
    .int()
    .describe('How many were active; the most important are in the text'),
});
export type ContextSources = z.infer<typeof contextSourcesSchema>;
export const contextBlockSchema = z.object({
  text: z.string().describe('As the child reads it. Secrets of known shapes are left out.'),
  hash: z.string().describe('SHA-256 of the text'),
  sources: contextSourcesSchema,
});
export type ContextBlock = z.infer<typeof contextBlockSchema>;
export const inheritedContextSchema = contextBlockSchema.extend({ givenAt: time });
export type InheritedContext = z.infer<typeof inheritedContextSchema>;

/** One session of a tree with the invocations made on it, oldest first. */
export interface TreeNode {
  sessionKey: string;
  kind: 'external' | 'managed';
  harness: string | null;
  state: SessionStateWord;
  title: string | null;
  firstWords: string | null;
  depth: number;
  invocations: {
    id: string;
    runnerId: string;
    status: z.infer<typeof statusSchema>;
    executionMode: z.infer<typeof executionModeSchema>;
    title: string;
    durationMs: number | null;
    error: string | null;
  }[];
  children: TreeNode[];
  hasMore?: true | undefined;
}
export const treeNodeSchema: z.ZodType<TreeNode> = z
  .lazy(() =>
    z.object({
      sessionKey: z.string(),
      kind: z.enum(['external', 'managed']),
      harness: z.string().nullable(),
      state: stateSchema,
      title: z.string().nullable(),
      firstWords: firstWordsSchema,
      depth: z.number().int(),
      invocations: z.array(
        z.object({
          id: z.string(),
          runnerId: z.string(),
          status: statusSchema,
          executionMode: executionModeSchema,
          title: z.string(),
          durationMs: z.number().nullable(),
          error: z.string().nullable(),
        }),
      ),
      children: z.array(treeNodeSchema),
      hasMore: z
        .literal(true)
        .optional()
        .describe('It has children that are not shown here: its own tree shows them'),
    }),
  )
  .meta({ id: 'TreeNode' });

/** A tree may be larger than what is shown of it, and then says so. */
export const treeSchema = z.intersection(
  treeNodeSchema,
  z.object({
    total: z
      .object({ sessions: z.number().int(), invocations: z.number().int() })
      .describe('Of the whole tree, also where not all of it is shown'),
    truncated: z
      .boolean()
      .describe(
        `Those furthest down are left out, and of one level the newest: at most ${limits.treeNodesMax} are shown, the oldest ${limits.treeNodesMax} of their invocations, and ${limits.treeLevelsMax} levels. The tree of a session with \`hasMore\` shows what is below that.`,
      ),
  }),
);
export type Tree = z.infer<typeof treeSchema>;

export const deletedSchema = z.object({
  sessions: z.number().int(),
  invocations: z.number().int(),
  turns: z.number().int(),
  callbacks: z.number().int(),
});
export type Deleted = z.infer<typeof deletedSchema>;
