/** What agent programs report of their sessions, and what each report is answered with. */
import { z } from 'zod';
import { limits } from './limits.ts';
import { momentSchema } from './moments.ts';
import { keySchema, projectSchema, sessionKeySchema as sessionKey } from './fields.ts';
import { wordsSchema as words } from './said-words.ts';
import { keptFields } from './unknown-fields.ts';
import { wellFormed } from './well-formed.ts';
import { promptReasonSchema, runtimePathSchema } from './words.ts';

/** Of a field that must be there: `harness: is required`. */
const required = {
  error: (issue: { input?: unknown }) => (issue.input === undefined ? 'is required' : undefined),
};
const label = words.max(limits.titleCharsMax).trim().min(1);

/** For a folder whose name is no UTF-8 nothing that is said in it is refused. Ids are: two must not become one. */
const mended = <S extends z.ZodType<string, string>>(path: S) =>
  z.preprocess((given: string) => wellFormed(given), path);

/** What every hook takes. A field that no hook knows is kept with the turn that the hook adds, if there is room. */
const common = {
  harness: z
    .string(required)
    .overwrite(wellFormed)
    .max(limits.keyCharsMax)
    .trim()
    .min(1)
    .describe(
      'The agent program that reports: claude-code, codex, gemini-cli, copilot-cli, opencode, openclaw, …',
    ),
  sessionKey: sessionKey
    .optional()
    .describe('Also taken as `sessionId`, and with `session:` before it'),
  sessionId: sessionKey
    .optional()
    .describe('Stands for `sessionKey`. Beside it, it tells with it whose agent’s the session is'),
  agentId: keySchema
    .optional()
    .describe("Whose data it is. Never a program's own sub-agent id, which is `harnessAgentId`"),
  harnessAgentId: keySchema.optional().describe("The program's own id of one of its sub-agents"),
  project: mended(projectSchema)
    .optional()
    .describe('The folder that the session works in; also `cwd`'),
  at: momentSchema
    .optional()
    .describe('When it happened; now, where it is not said, or by a clock that is far ahead'),
  runtimePath: runtimePathSchema
    .optional()
    .describe('Which way the report took. The header X-Offshoot-Runtime-Path goes before it'),
  idempotencyKey: keySchema
    .optional()
    .describe('A hook that comes again under its key adds nothing, and is answered as it was'),
};

/** The conversation so far: inline before by path; where neither is given, what the store has. */
const transcript = {
  transcript: words
    .optional()
    .describe("The program's transcript as it is: whole, or its last messages"),
  // What a path has to be is looked at with the file: a wrong one does not refuse what else the hook says.
  transcriptPath: words
    .optional()
    .describe("A file of it below the programs' own folders, or one that the configuration allows"),
  transcriptOptional: z
    .boolean()
    .optional()
    .describe(
      'A transcript that is refused does not refuse the hook: it is answered, and `transcriptRefused` says why',
    ),
};
const lastAssistantMessage = words.optional();
const askedBy = keySchema
  .optional()
  .describe('The sub-agent that asked for this one, where it was not the session itself');

/** What programs call it; the first that is given stands. */
export const hookAliases: Record<string, readonly string[]> = {
  sessionKey: ['sessionId'],
  parentSessionKey: ['parentKey', 'parentId', 'parentID'],
  project: ['cwd'],
};

export const sessionStartSchema = hook({
  ...common,
  ...transcript,
  parentSessionKey: sessionKey
    .optional()
    .describe('The session that asked for this one; also parentKey, parentId, parentID'),
  source: label.optional().describe('startup, resume, clear or compact'),
  title: label.optional(),
});
export const userPromptSubmitSchema = hook({
  ...common,
  ...transcript,
  userMessage: words.optional().describe('What the user said, cleaned; goes before `userPrompt`'),
  userPrompt: words.optional(),
  lastAssistantMessage,
});
export const sessionEndSchema = hook({
  ...common,
  ...transcript,
  lastAssistantMessage,
  reason: label.optional().describe('clear, logout, exit, …'),
});
export const preCompactionSchema = hook({ ...common, ...transcript, lastAssistantMessage });
export const compactionCompleteSchema = hook({
  ...common,
  ...transcript,
  summary: z
    .string(required)
    .overwrite(wellFormed)
    .refine((text) => !isBlank(text), 'must not be empty or blank'),
});
export const checkpointExtractSchema = hook({
  ...common,
  ...transcript,
  sessionKey,
});
export const subagentStartSchema = hook({
  ...common,
  ...transcript,
  sessionKey: common.sessionKey.describe('The session that the sub-agent is in'),
  harnessAgentId: z.string(required).pipe(keySchema),
  childSessionKey: sessionKey
    .optional()
    .describe('The key of the sub-agent’s own session, where its program gives it one'),
  parentHarnessAgentId: askedBy,
  agentType: label.optional(),
  title: label.optional(),
  prompt: words.optional().describe('Its task, where the program says it'),
});
export const subagentStopSchema = hook({
  ...common,
  ...transcript,
  sessionKey: common.sessionKey.describe('The session that the sub-agent is in'),
  harnessAgentId: z.string(required).pipe(keySchema),
  childSessionKey: sessionKey.optional(),
  parentHarnessAgentId: askedBy,
  agentType: label.optional(),
  lastAssistantMessage,
});
export const stopSchema = hook({
  ...common,
  ...transcript,
  lastAssistantMessage,
  allSaid: words
    .optional()
    .describe(
      'All that was said since the prompt, in one. Kept where no transcript could be read, which has it as it was said',
    ),
  stopHookActive: z
    .boolean()
    .optional()
    .describe(
      'The program goes on because of an earlier answer: only what is new since is offered',
    ),
});

const flags = {
  bypassed: z.literal(true).optional().describe('The session is bypassed: nothing was done'),
  internal: z.literal(true).optional().describe('X-Offshoot-No-Hooks: nothing was done'),
  transcriptRefused: z
    .string()
    .optional()
    .describe('Why its transcript was not taken, where it was optional'),
};
const inject = z.string().describe('For the model, as it is; empty where there is nothing to say');

export const sessionStartAnswerSchema = z.object({
  inject,
  memories: z.array(z.object({})).describe('Empty until there is a memory'),
  ...flags,
});
export const userPromptSubmitAnswerSchema = z.object({
  inject,
  reason: promptReasonSchema.describe('Why that, or why nothing'),
  memoryCount: z.number().int(),
  sessionKnown: z.boolean().describe('Whether a hook of this session had come before'),
  ...flags,
});
export const sessionEndAnswerSchema = z.object({
  memoriesSaved: z.number().int(),
  queued: z.boolean().describe('Whether a summary will be made of it'),
  skipped: z.literal(true).optional(),
  duplicateSessionEnd: z.literal(true).optional().describe('It had ended before'),
  ...flags,
});
export const preCompactionAnswerSchema = z.object({
  summaryPrompt: z.string(),
  guidelines: z.string(),
  ...flags,
});
export const compactionCompleteAnswerSchema = z.object({
  success: z.literal(true),
  memoryId: z.string().nullable().describe('Null until there is a memory'),
  contextEpoch: z.number().int().describe('How often the context has begun anew'),
  ...flags,
});
export const checkpointExtractAnswerSchema = z.object({
  skipped: z.literal(true).optional(),
  queued: z.literal(true).optional(),
  jobId: z.string().optional(),
  ...flags,
});
export const subagentStartAnswerSchema = z.object({
  inject,
  memories: z.array(z.object({})),
  sessionKey: z.string().nullable().describe("The sub-agent's own session"),
  ...flags,
});
export const subagentStopAnswerSchema = z.object({
  sessionKey: z.string().nullable(),
  ended: z.boolean().describe('Whether a sub-agent of that id was known'),
  ...flags,
});
export const stopAnswerSchema = z.object({
  inject,
  reason: promptReasonSchema,
  ...flags,
});

/**
 * Null and blanks are what programs send for nothing; where a field may be left out, they are the same as leaving it
 * out. What no hook knows comes out apart, as `extra`.
 */
function hook<S extends z.ZodRawShape>(shape: S) {
  const known = z.object(shape);
  const schema = z.looseObject(shape).transform((given) => {
    const fields: [string, unknown][] = [];
    const extra: [string, unknown][] = [];
    for (const field of Object.entries(given)) {
      if (Object.hasOwn(shape, field[0])) fields.push(field);
      else extra.push(field);
    }
    return {
      ...(Object.fromEntries(fields) as z.output<typeof known>),
      extra: wellFormed(keptFields(extra, limits.hookExtraBytesMax)),
    };
  });
  const names = Object.entries(shape).map(([name, field]) => ({
    all: [name, ...(hookAliases[name] ?? [])],
    isOptional: field instanceof z.ZodOptional,
  }));
  const ours = new Set(names.flatMap(({ all }) => all));
  return z.preprocess((input: z.input<typeof known>) => foldNames(input, names, ours), schema);
}

/** Of a field its own name first, and then what it is called elsewhere. */
interface Names {
  all: readonly string[];
  isOptional: boolean;
}

function foldNames(input: unknown, names: readonly Names[], ours: ReadonlySet<string>): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
  const given = input as Record<string, unknown>;
  const folded: [string, unknown][] = [];
  const taken = new Set<string>();
  for (const { all, isOptional } of names) {
    const said = all.find((one) => !taken.has(one) && !isNothing(given[one]));
    // Of one that must be there it is told what is wrong with it.
    const stands = said ?? (isOptional ? undefined : all.find((one) => given[one] != null));
    if (stands === undefined) continue;
    taken.add(stands);
    folded.push([all[0]!, given[stands]]);
  }
  for (const field of Object.entries(given)) if (!ours.has(field[0])) folded.push(field);
  return Object.fromEntries(folded);
}

const isNothing = (value: unknown) => (typeof value === 'string' ? isBlank(value) : value == null);
const isBlank = (text: string) => text.trim() === '';
