/** The store API: how a runner host speaks to the server. Every write is fenced by host, boot and run. */
import { z } from 'zod';
import { outcomeSchema, runEventSchema, runSpecSchema } from './run.ts';
import { statusSchema } from './words.ts';

const runKey = { invocationId: z.string(), runNo: z.number().int() };
export const runKeySchema = z.object(runKey);
export type RunKey = z.infer<typeof runKeySchema>;
const hostKey = { hostId: z.string(), bootId: z.string() };

/** Null while no engine is known yet; agents go on meanwhile. */
const temporalSchema = z.object({ address: z.string(), namespace: z.string() }).nullable();

/** First word of a new boot, said after it has swept its predecessor's processes: open runs of older boots are lost. */
export const helloRequestSchema = z.object({
  ...hostKey,
  slots: z.number().int().min(1).max(1000),
  hostname: z.string(),
  pid: z.number().int(),
});
export type HelloRequest = z.infer<typeof helloRequestSchema>;
export const helloAnswerSchema = z.object({
  homeId: z.string(),
  /** Where the engine asks for leases; null for a host elsewhere, whose leases the server holds. */
  queue: z.string().nullable(),
  /** Runs the host may hold at once, blocked parents included. */
  ceiling: z.number().int(),
  leaseMinutes: z.number(),
  /** What a program gets between SIGTERM and SIGKILL; the server counts on it after a lease. */
  killGraceSeconds: z.number(),
  /** Folders in here were made by the server for its own machine: a host elsewhere has its own. */
  workFolder: z.string(),
  temporal: temporalSchema,
});
export type HelloAnswer = z.infer<typeof helloAnswerSchema>;

/** Long poll: presence, what to start and to stop, and which of my runs do not hold any more. */
export const syncRequestSchema = z.object({
  ...hostKey,
  runs: z.array(runKeySchema),
  /** What it was told and is about: claims under way, and runs being stopped. Not to be told again. */
  heard: z.array(runKeySchema).default([]),
  draining: z.boolean(),
  waitSeconds: z.number().min(0).max(60),
});
export type SyncRequest = z.infer<typeof syncRequestSchema>;
export const syncAnswerSchema = z.object({
  stop: z.array(z.object({ ...runKey, reason: z.enum(['cancelled', 'not_yours']) })),
  /** What it has got a slot for, and the number that its run will have: to be claimed at once. */
  start: z.array(runKeySchema).default([]),
  temporal: temporalSchema,
});
export type SyncAnswer = z.infer<typeof syncAnswerSchema>;

export const claimRequestSchema = z.object({ ...hostKey, invocationId: z.string() });
export type ClaimRequest = z.infer<typeof claimRequestSchema>;
export const claimAnswerSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('run'), run: runSpecSchema }),
  /** This boot holds the claim already: attach to the process. */
  z.object({ kind: z.literal('attach'), runNo: z.number().int() }),
  /** Nothing to run for this host. `isHere`: the store has it here all the same; to be asked again, but not at once. */
  z.object({
    kind: z.literal('nothing'),
    status: statusSchema.nullable(),
    isHere: z.boolean().default(false),
  }),
]);
export type ClaimAnswer = z.infer<typeof claimAnswerSchema>;

/** `n` counts the reports of one run from 1; a repeat adds nothing. */
export const reportSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('event'), n: z.number().int(), event: runEventSchema }),
  z.object({ type: z.literal('outcome'), n: z.number().int(), outcome: outcomeSchema }),
  /** The host gave the run up: `onLost` decides, unless no process was ever started for it. */
  z.object({
    type: z.literal('lost'),
    n: z.number().int(),
    why: z.string(),
    wasStarted: z.boolean(),
  }),
]);
export type Report = z.infer<typeof reportSchema>;
export const reportRequestSchema = z.object({
  ...hostKey,
  ...runKey,
  reports: z.array(reportSchema).min(1).max(1000),
});
export type ReportRequest = z.infer<typeof reportRequestSchema>;
export const reportAnswerSchema = z.object({
  /** Whether the run still held its claim; late reports are kept and marked, and change nothing. */
  held: z.boolean(),
  status: statusSchema,
});
export type ReportAnswer = z.infer<typeof reportAnswerSchema>;

export const storeApiPaths = {
  hello: '/store/hosts/hello',
  sync: '/store/hosts/sync',
  claim: '/store/claims',
  report: '/store/reports',
} as const;
