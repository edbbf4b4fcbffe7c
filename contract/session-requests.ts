/** What can be asked of sessions, the agents they belong to, and who may read them. */
import { z } from 'zod';
import {
  keySchema as key,
  sessionKeySchema as sessionKey,
  textSchema as text,
  idSchema as id,
  promptSchema as prompt,
  titleSchema as title,
  cursorSchema as cursor,
  pageSizeSchema as page,
  projectSchema,
  yesOrNo,
} from './fields.ts';
import { defaults, limits } from './limits.ts';
import { momentSchema } from './moments.ts';
import { withAliases } from './with-aliases.ts';
import { permissionSchema, readPolicySchema, scopedRoleSchema } from './words.ts';

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
export const sessionSchema = withAliases(
  z.strictObject({ key: sessionKey, agentId: key.optional() }),
);
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
