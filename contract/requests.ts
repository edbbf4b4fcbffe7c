/** What can be asked of sub-agents and of the whole. Input is parsed with these schemas at the edge, and only there. */
import { z } from 'zod';
import {
  keySchema as key,
  sessionKeySchema as sessionKey,
  pathSchema as path,
  textSchema as text,
  idSchema as id,
  promptSchema as prompt,
  titleSchema as title,
  waitSecondsSchema as waitSeconds,
  cursorSchema as cursor,
  pageSizeSchema as page,
  projectSchema,
  noNul,
} from './fields.ts';
import { defaults, limits } from './limits.ts';
import { momentSchema } from './moments.ts';
import { localHostId } from './names.ts';
import { withAliases } from './with-aliases.ts';
import { executionModeSchema, statusSchema } from './words.ts';

export const contextSchema = z.strictObject({
  workspacePath: projectSchema
    .optional()
    .describe(
      "Where the agent works. Default: the parent's, else the session's project, else a folder of its own, made when it begins.",
    ),
  specId: key.optional(),
  files: z
    .array(path)
    .max(limits.filesMax)
    .nullable()
    .optional()
    .describe('Files of the workspace that matter, named in the context file'),
  env: z
    .record(
      z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'is not a variable name'),
      text.max(limits.envValueBytesMax).regex(/^[^\u0000]*$/, noNul),
    )
    .refine((env) => Object.keys(env).length <= limits.envEntriesMax, 'has too many entries')
    .optional()
    .describe('Kept in a 0600 file until the invocation is final, never in the store or a log'),
});

export const runSubagentSchema = withAliases(
  z.strictObject({
    runnerId: key.describe('Which runner: see GET /api/runners'),
    prompt: prompt.describe('The task, given to the agent byte for byte'),
    executionMode: executionModeSchema
      .default(defaults.executionMode)
      .describe(
        'SYNC answers with the result; ASYNC_POLL at once; ASYNC_CALLBACK at once, and the answer is sent to the parent session',
      ),
    parentSessionId: sessionKey
      .optional()
      .describe('Session key of who asks. A child token says it by itself.'),
    agentId: key.optional(),
    context: contextSchema.default({}),
    title: title.optional(),
    waitSeconds: waitSeconds
      .optional()
      .describe('SYNC only: after this long the call answers with a handle'),
    limits: z
      .strictObject({
        maxDepth: z.number().int().min(0).max(limits.depthMax).optional(),
        maxChildren: z.number().int().min(0).max(limits.openChildrenMax).optional(),
        wallSeconds: z.number().min(1).max(limits.wallSecondsMax).optional(),
      })
      .default({})
      .describe('Can only tighten what the parent and the configuration allow'),
    detached: z
      .boolean()
      .default(false)
      .describe("Goes on when its parent's work ends otherwise than completed"),
  }),
);

export const getSubagentSchema = z.strictObject({ id });
export const listSubagentsSchema = withAliases(
  z.strictObject({
    runnerId: key.optional(),
    status: statusSchema.optional(),
    executionMode: executionModeSchema.optional(),
    specId: key.optional(),
    parentSessionId: sessionKey.optional(),
    rootSessionId: sessionKey.optional(),
    agentId: key.optional(),
    since: momentSchema.optional().describe('createdAt at or after'),
    until: momentSchema.optional().describe('createdAt before'),
    limit: page.default(limits.pageDefault),
    cursor: cursor.optional(),
  }),
);
export type ListSubagentsInput = z.infer<typeof listSubagentsSchema>;
export const waitSubagentsSchema = withAliases(
  z.strictObject({
    ids: z.array(id).min(1).max(limits.waitIdsMax),
    until: z.enum(['any', 'all']).default('all'),
    waitSeconds: waitSeconds.optional(),
  }),
);
export const cancelSubagentSchema = withAliases(
  z.strictObject({
    id,
    reason: text.max(limits.titleCharsMax).trim().optional(),
  }),
);
export const sendSchema = withAliases(
  z.strictObject({
    id,
    prompt,
    executionMode: executionModeSchema.default(defaults.sendExecutionMode),
    waitSeconds: waitSeconds.optional(),
  }),
);
export const transcriptSchema = withAliases(
  z.strictObject({
    id,
    after: z.coerce.number().int().min(0).default(0),
    limit: page.default(limits.transcriptPageDefault),
  }),
);
export const specHistorySchema = withAliases(
  z.strictObject({
    specId: key,
    limit: page.default(limits.pageDefault),
    cursor: cursor.optional(),
  }),
);
export const takeBackupSchema = withAliases(
  z.strictObject({
    to: z
      .string()
      .max(limits.pathCharsMax)
      .startsWith('/', 'must be an absolute path')
      .optional()
      .describe(
        'A new file. Without it: a name by time in the folder of backups, the oldest of which goes.',
      ),
  }),
);
/** In the name of a folder, of a queue and of a process's mark. `local` is the one beside the server. */
export const hostIdSchema = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, 'must be lower-case letters, digits, . _ -, 63 at most')
  .refine((name) => name !== localHostId, `${localHostId} is the runner host beside the server`);
export const hostTokenSchema = z.strictObject({ hostId: hostIdSchema });
export const nothingSchema = z.strictObject({});
