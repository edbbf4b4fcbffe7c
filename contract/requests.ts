/** What can be asked. Input is parsed with these schemas at the edge, and only there. */
import { z } from 'zod';
import { defaults, limits } from './limits.ts';
import { momentSchema } from './moments.ts';
import { localHostId } from './names.ts';
import { isPathPart, pathPartWords } from './path-part.ts';
import { withAliases } from './with-aliases.ts';
import {
  executionModeSchema,
  permissionSchema,
  readPolicySchema,
  scopedRoleSchema,
  statusSchema,
} from './words.ts';

/** Half a character cannot be written as UTF-8: it would be stored and hashed as something else. */
const text = z.string().refine((given) => given.isWellFormed(), 'is not well-formed Unicode');
const id = text.min(1).max(limits.keyCharsMax);
/** How long it may be, and of what, is said of the words as they were sent: so says the document, too. */
export const keySchema = text
  .max(limits.keyCharsMax)
  // Spelled out, because readers of the OpenAPI document know fewer classes than we do.
  .regex(/^[^\u0000-\u001f\u007f-\u009f]*$/, 'must not hold control characters')
  .trim()
  .min(1)
  .refine(isPathPart, pathPartWords)
  .refine(
    (given) => Buffer.byteLength(given) <= limits.keyBytesMax,
    `must not be longer than ${limits.keyBytesMax} bytes`,
  );
/** Of a session key, however it is given: some programs write `session:` before it. */
export const bareKey = (given: string): string => given.replace(/^(?:session:)+/, '');
export const sessionKeySchema = keySchema.transform(bareKey).pipe(keySchema);
const noNul = 'must not hold NUL';
export const pathSchema = text
  .min(1)
  .max(limits.pathCharsMax)
  .regex(/^[^\u0000]+$/, noNul);
/** One folder, however it is written: `/repo/` and `/repo/a/..` are `/repo`. One of another system stays as it is. */
export const projectSchema = pathSchema.overwrite((folder) =>
  folder.startsWith('/') ? withoutDots(folder) : folder.replace(/(?<=.)\/+$/, ''),
);

function withoutDots(folder: string): string {
  const names: string[] = [];
  for (const name of folder.split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return `/${names.join('/')}`;
}
const key = keySchema;
const sessionKey = sessionKeySchema;
const path = pathSchema;
const prompt = text.refine((given) => given.trim() !== '', 'must not be empty or blank');
const title = text.max(limits.titleCharsMax).trim().min(1);
const waitSeconds = z.number().min(0).max(limits.waitSecondsMax);
const cursor = text.min(1).max(200);
const page = z.coerce.number().int().min(1).max(limits.pageMax);

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

export const registerSessionSchema = withAliases(
  z.strictObject({
    key: sessionKey,
    agentId: key.optional(),
    harness: key.optional(),
    project: projectSchema.optional(),
    projectIfNone: projectSchema.optional().describe('Its project where none is known yet'),
    title: title.optional(),
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
export const sessionSchema = withAliases(
  z.strictObject({ key: sessionKey, agentId: key.optional() }),
);
/** Query strings have no booleans; `active=0` must not be taken for yes. */
export const yesOrNo = z
  .union([z.boolean(), z.enum(['true', 'false'])])
  .transform((said) => `${said}` === 'true');
export const listSessionsSchema = withAliases(
  z.strictObject({
    agentId: key.optional(),
    project: projectSchema.optional().describe('This folder, or one below it'),
    harness: key.optional(),
    since: momentSchema.optional().describe('Active at or after'),
    active: yesOrNo
      .default(true)
      .describe(
        'Only those that are claimed or at work: ours while something is open on them, others that went on lately and have not ended. All of them with `false`',
      ),
    limit: page.default(limits.pageDefault),
    cursor: cursor.optional(),
  }),
);
export const bypassSchema = withAliases(
  z.strictObject({ key: sessionKey, agentId: key.optional(), enabled: z.boolean() }),
);
export const agentSchema = z.strictObject({ id: key });
export const putAgentSchema = withAliases(
  z.strictObject({
    id: key,
    name: title.optional(),
    readPolicy: readPolicySchema.optional(),
    policyGroup: key.optional().describe('With `group`: agents of one group read each other'),
  }),
);
export const createTokenSchema = withAliases(
  z.strictObject({
    role: scopedRoleSchema.describe('readonly reads; agent writes, too; operator deletes, too'),
    agentId: key,
    project: projectSchema.optional().describe('Only sessions in this folder or below it'),
    permissions: z.array(permissionSchema).min(1).optional().describe("Fewer than the role's"),
    ttlSeconds: z.number().int().min(1).max(limits.tokenSecondsMax).default(defaults.tokenSeconds),
  }),
);
export const writeCheckpointSchema = withAliases(
  z.strictObject({
    key: sessionKey,
    agentId: key.optional(),
    summary: prompt
      .max(limits.checkpointSummaryCharsMax)
      .optional()
      .describe('What the session was about so far. Without it a digest is made, by no model'),
  }),
);
export const callbacksSchema = withAliases(
  z.strictObject({
    key: sessionKey,
    agentId: key.optional(),
    status: z
      .enum(['open', 'queued', 'handed', 'delivered', 'undelivered', 'all'])
      .default('open')
      .describe('open = not delivered yet'),
    after: id.optional().describe('Those after this one, in the order in which the children ended'),
  }),
);
export const ackCallbacksSchema = withAliases(
  z.strictObject({
    key: sessionKey,
    agentId: key.optional(),
    ids: z.array(id).min(1).max(limits.callbacksPageMax),
  }),
);
export const searchSessionsSchema = withAliases(
  z.strictObject({
    query: text
      .max(limits.queryCharsMax)
      .refine((given) => given.trim() !== '', 'must not be empty or blank')
      .describe(
        `Words in any order, ${limits.queryWordsMax} at most count; "a phrase", -without, begin*. Where no turn holds all of three words or more, turns right beside those that hold some are found, too`,
      ),
    sessionKey: sessionKey
      .optional()
      .describe("Only this session. Default: the caller's parent, if it has one"),
    currentSessionKey: sessionKey
      .optional()
      .describe('The session that asks: it is left out. A child token says it by itself.'),
    rootSessionKey: sessionKey.optional().describe('Only this session and all below it'),
    agentId: key.optional(),
    project: projectSchema
      .optional()
      .describe('Only sessions that work in this folder or below it'),
    limit: z
      .number()
      .int()
      .default(limits.searchHitsDefault)
      .transform((count) => Math.min(limits.searchHitsMax, Math.max(1, count)))
      .describe(
        `1 to ${limits.searchHitsMax}; what is less or more counts as the nearest of these`,
      ),
    groupBy: z
      .enum(['turn', 'session'])
      .default('turn')
      .describe('session: one hit per session, its best'),
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
