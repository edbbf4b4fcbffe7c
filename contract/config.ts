/** The home's configuration file and the environment, parsed. */
import { z } from 'zod';
import { defaults, limits } from './limits.ts';
import { logLevels } from './log.ts';
import { resultPathSchema, type CommandRunner } from './run.ts';
import { parseTraceparent, traceparentVariable } from './trace.ts';
import { onLostSchema } from './words.ts';

/** `${NAME}` is filled in; anything else that begins like one is a slip that no shell would mend. */
const variableText = z
  .string({ error: 'must be text: put it into quotes' })
  .refine((text) => !/\$\{(?![A-Za-z_][A-Za-z0-9_]*\})/.test(text), {
    error: 'has a `${` that is not `${NAME}`: close it, and name one variable in it',
  });

const runnerConfigSchema = z
  .strictObject({
    kind: z.literal('command'),
    command: z
      .string({
        error: ({ input }) =>
          input === undefined
            ? 'is missing: it must be the program to run: a name on the PATH, or a path'
            : undefined,
      })
      .min(1),
    args: z
      .array(z.string({ error: 'must be text: put it into quotes' }), {
        error: 'must be a list of texts: ["-p", "--verbose"]',
      })
      .default([]),
    env: z.record(z.string(), variableText).default({}),
    promptVia: z.enum(['stdin', 'arg', 'file']).default('stdin'),
    result: z.enum(['text', 'json']).default('text'),
    resultPath: resultPathSchema.optional(),
    turns: z.boolean().default(false),
    onLost: onLostSchema.default('fail'),
    timeoutSeconds: z
      .number()
      .min(1)
      .max(limits.turnTimeoutSecondsMax)
      .default(defaults.turnTimeoutSeconds),
  })
  .refine(({ result, resultPath }) => result !== 'text' || resultPath === undefined, {
    path: ['resultPath'],
    error: 'counts only with `result: json`: add that, or remove resultPath',
    when: isGroup,
  });

const runnerName = /^[a-z0-9][a-z0-9._-]*$/;

/** The names beside the entries, as a key that is refused would hide what is wrong with its entry. */
const runnersSchema = z.record(z.string(), runnerConfigSchema).superRefine(
  (runners, { addIssue }) => {
    for (const id of Object.keys(runners).filter((name) => !runnerName.test(name))) {
      const message = 'must be named in lower-case letters, digits, . _ -';
      addIssue({ code: 'custom', path: [id], message });
    }
  },
  { when: isGroup },
);

/** Also where a key within has a mistake: all are named at once. */
function isGroup({ value }: { value: unknown }): boolean {
  return typeof value === 'object' && value !== null;
}

/** Always part of an inherited context: a key that says otherwise is refused by its own name. */
const alwaysOn = z
  .literal(true, { error: 'is always on: set inheritContext to false, or remove this key' })
  .optional();

const hostName = /^[a-z0-9.-]+(:\d{1,5})?$/;

export const configSchema = z.strictObject({
  runners: runnersSchema.default({}),
  limits: z
    .strictObject({
      maxDepth: z.number().int().min(0).max(limits.depthMax).default(defaults.maxDepth),
      maxChildren: z
        .number()
        .int()
        .min(1)
        .max(limits.openChildrenMax)
        .default(defaults.maxChildren),
      slots: z.number().int().min(1).max(256).default(defaults.slots),
      wallSeconds: z.number().min(1).max(limits.wallSecondsMax).default(defaults.wallSeconds),
      hostWaitSeconds: z
        .number()
        .min(1)
        .default(defaults.hostWaitMs / 1000),
      leaseMinutes: z
        .number()
        .min(0.05)
        .max(24 * 60)
        .default(defaults.leaseMinutes),
      sessionIdleSeconds: z
        .number()
        .min(0.1)
        .default(defaults.sessionIdleMs / 1000),
      killGraceSeconds: z
        .number()
        .min(0.1)
        .max(300)
        .default(limits.killGraceMs / 1000),
    })
    .prefault({}),
  engine: z
    .strictObject({
      retentionDays: z.number().int().min(1).max(3650).default(defaults.retentionDays),
      namespace: z.string().min(1).default('default'),
      /** WAL + FULL for the engine too: slower, and survives a power cut to the last event. */
      durable: z.boolean().default(false),
      /** Where a named Temporal has its UI; our own dev server's is known. */
      uiUrl: z.url().optional(),
    })
    .prefault({}),
  backup: z
    .strictObject({
      /** 0 takes none but those that are asked for. */
      everyHours: z
        .number()
        .min(0)
        .max(31 * 24)
        .default(defaults.backupEveryHours),
      keep: z.number().int().min(1).max(1000).default(defaults.backupsKept),
      /** Another disk, perhaps. */
      folder: z.string().startsWith('/', 'must be an absolute path').optional(),
    })
    .prefault({}),
  hooks: z
    .strictObject({
      /** Folders below which a hook may name a transcript, beside the programs' own. */
      transcriptRoots: z
        .array(z.string().startsWith('/', 'must be an absolute path'))
        .max(100)
        .default([]),
    })
    .prefault({}),
  memory: z
    .strictObject({
      pipelineV2: z
        .strictObject({
          subagents: z
            .strictObject({
              /** Whether a child is told what its parent knows. Searching it stays possible. */
              inheritContext: z.boolean().default(true),
              /** Characters of the parent's conversation since its last checkpoint. */
              tailChars: z
                .number()
                .int()
                .min(0)
                .max(limits.contextTailCharsMax)
                .default(defaults.tailChars),
              /** How long a session may have been idle and still be guessed to be the parent; null: any time. */
              parentIdleHours: z
                .number()
                .min(0)
                .max(24 * 365)
                .nullable()
                .default(defaults.parentIdleHours),
              includeEntities: alwaysOn,
              includeConstraints: alwaysOn,
            })
            .prefault({}),
        })
        .prefault({}),
    })
    .prefault({}),
  logs: z
    .strictObject({
      level: z.enum(logLevels).default('info'),
    })
    .prefault({}),
  metrics: z
    .strictObject({
      /** Whether `GET /metrics` answers. */
      enabled: z.boolean().default(true),
    })
    .prefault({}),
  telemetry: z
    .strictObject({
      /** Where an OpenTelemetry collector takes OTLP over HTTP: without `/v1/traces`. Nothing is sent without it. */
      otlpEndpoint: z
        .url({ protocol: /^https?$/, error: 'must be an http or https address' })
        .optional(),
    })
    .prefault({}),
  server: z
    .strictObject({
      port: z.number().int().min(0).max(65535).default(defaults.port),
      /** Beside loopback: for runner hosts on other machines. */
      listen: z.union([z.ipv4(), z.ipv6()]).default('127.0.0.1'),
      /** Names that this server is called by elsewhere: of a proxy before it, or of this machine. */
      names: z
        .array(z.string().regex(hostName, 'must be a name or name:port, lower case'))
        .default([]),
    })
    .prefault({}),
});
export type Config = z.infer<typeof configSchema>;

export function commandRunner(id: string, config: Config['runners'][string]): CommandRunner {
  return { ...config, id, resultPath: config.resultPath ?? null };
}

/** The environment variables that Offshoot itself reads. Only `main.ts` files call this. */
export function readEnvironment(env: Record<string, string | undefined>) {
  return {
    home: env['OFFSHOOT_HOME'] || null,
    url: env['OFFSHOOT_URL'] || null,
    token: env['OFFSHOOT_TOKEN'] || null,
    parentSessionId: env['AGENT_SESSION_ID'] || null,
    /** A host program's own session, named when nothing better is known. */
    harnessSession: env['CLAUDE_CODE_SESSION_ID']
      ? { harness: 'claude-code', sessionKey: env['CLAUDE_CODE_SESSION_ID'] }
      : null,
    temporalBin: env['OFFSHOOT_TEMPORAL_BIN'] || null,
    temporalAddress: env['TEMPORAL_ADDRESS'] || null,
    temporalProfile: env['TEMPORAL_PROFILE'] || null,
    temporalConfigFile: env['TEMPORAL_CONFIG_FILE'] || null,
    cacheHome: env['XDG_CACHE_HOME'] || null,
    path: env['PATH'] ?? '',
    /** The span that a process of an agent runs in. */
    traceparent: parseTraceparent(env[traceparentVariable]) ? env[traceparentVariable]! : null,
    otlpEndpoint: env['OTEL_EXPORTER_OTLP_ENDPOINT'] || null,
    noColor: env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '',
  };
}
export type Environment = ReturnType<typeof readEnvironment>;
