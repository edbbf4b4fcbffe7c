/** Reading what a session has said, and taking it from one store to another. */
import { z } from 'zod';
import { isShallow } from './depth.ts';
import { limits } from './limits.ts';
import { momentSchema } from './moments.ts';
import { turnSchema } from './records.ts';
import { keySchema, projectSchema, sessionKeySchema as key, yesOrNo } from './fields.ts';
import { wordsSchema } from './said-words.ts';
import { keptFields } from './unknown-fields.ts';
import { wellFormed } from './well-formed.ts';
import { withAliases } from './with-aliases.ts';
import { turnRoleSchema, turnSources } from './words.ts';

const after = z.coerce.number().int().min(0);

const toolUseSchema = z.object({
  kind: z.enum(['call', 'result']),
  id: z.string().nullable(),
  name: z.string().nullable(),
  text: z.string(),
  isError: z.boolean(),
});

/** Of a turn, wherever one is shown that may have been told later than it was said. */
export const placeSchema = z
  .number()
  .int()
  .nullable()
  .describe(
    'Where it stands in the conversation as it is read now, from 1; null: in a branch that was left. A turn that is told late moves those behind it; `seq` stays',
  );

export const sessionTurnSchema = turnSchema.extend({
  place: placeSchema,
  tools: z.array(toolUseSchema).nullable().describe('Calls and results of its tools'),
  source: z.enum(turnSources).nullable().describe('Who told it; null: we wrote it'),
});
export type SessionTurn = z.infer<typeof sessionTurnSchema>;

export const sessionTranscriptSchema = withAliases(
  z.strictObject({
    key,
    agentId: keySchema.optional(),
    format: z
      .enum(['text', 'turns'])
      .default('text')
      .describe(
        'text: `User: …` and `Assistant: …`, as it is read. turns: all of them as they came, in pages; `place` says where each is read',
      ),
    after: after.default(0),
    limit: z.coerce.number().int().min(1).max(limits.pageMax).default(limits.transcriptPageDefault),
  }),
);
export const sessionTranscriptAnswerSchema = z.object({
  sessionKey: z.string(),
  agentId: z.string(),
  content: z.string().optional(),
  turns: z.array(sessionTurnSchema).optional(),
  nextAfter: z.number().int().nullable().optional(),
});

export const exportSessionSchema = withAliases(
  z.strictObject({
    key,
    agentId: keySchema.optional(),
    after: after.default(0),
    raw: yesOrNo
      .default(false)
      .describe('As it was reported, secrets included: for administrators and operators'),
  }),
);
export const exportSessionAnswerSchema = z.object({
  jsonl: z
    .string()
    .describe(
      'A line about the session, then one for each turn; secrets of known shapes are redacted',
    ),
  nextAfter: z.number().int().nullable().describe('There is more: ask for it with this `after`'),
});

export const importSessionSchema = withAliases(
  z.strictObject({
    jsonl: z.string().describe('What an export gave: one page of it at a time, in order'),
    agentId: keySchema.optional().describe('Another agent than the exported one'),
  }),
);
export const importSessionAnswerSchema = z.object({
  sessionKey: z.string(),
  agentId: z.string(),
  added: z.number().int(),
  known: z.number().int().describe('Turns that were there already'),
});

/** The first line of every page. */
export const exportedSessionSchema = z.object({
  offshoot: z.literal('session'),
  version: z.literal(1),
  sessionKey: key,
  agentId: keySchema,
  harness: wordsSchema.nullable(),
  project: projectSchema.nullable(),
  title: wordsSchema.nullable(),
  /** Ranges of turns in the order in which they are read; null where that is as they came. */
  order: z
    .array(z.tuple([z.number().int().min(1), z.number().int().nullable()]))
    .refine(isOrder, 'must be ranges that share no turn, the last of them open')
    .nullable(),
  /** Null: it goes on. Exports of before say nothing of it. */
  endedAt: momentSchema.nullable().optional(),
});

/** Readers rely on it: a turn is told once, and what comes has its place behind all others. */
function isOrder(ranges: [number, number | null][]): boolean {
  const byNumber = ranges.toSorted(([a], [b]) => a - b);
  return (
    ranges.at(-1)?.[1] === null &&
    byNumber.every(([from, to], at) =>
      to === null ? at === byNumber.length - 1 : from <= to && to < (byNumber[at + 1]?.[0] ?? to),
    )
  );
}

/** What a hook may leave with a turn has room, with the names of what has none, and words in place of secrets. */
const importedExtraBytesMax = 4 * limits.hookExtraBytesMax;

const turnLineSchema = z.object({
  seq: z.number().int().min(1),
  role: turnRoleSchema,
  at: momentSchema,
  text: z.string(),
  raw: z.string().nullable(),
  tools: z.array(toolUseSchema).nullable(),
  source: z.enum(turnSources).nullable(),
  extra: z
    .record(z.string(), z.unknown())
    .refine((given) => isShallow(given), 'is nested too deep')
    .transform((given) => keptFields(Object.entries(given), importedExtraBytesMax))
    .nullable(),
});
export type ExportedTurn = z.infer<typeof turnLineSchema>;
/** What is there already is told by its words: they are compared as the store holds them. */
export const exportedTurnSchema = z.preprocess(wellFormed<unknown>, turnLineSchema);
