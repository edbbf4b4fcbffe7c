/** What the system answers of itself: its runners, its health, its backups, and how it is found and refuses. */
import { z } from 'zod';

const time = z.iso.datetime();

export const runnerInfoSchema = z.object({
  id: z.string(),
  kind: z.literal('command'),
  command: z.string(),
  turns: z.boolean(),
  onLost: z.string(),
  available: z.boolean(),
  reason: z.string().nullable().describe('Why it is not available, and what to do'),
});
export type RunnerInfo = z.infer<typeof runnerInfoSchema>;

export const healthSchema = z.object({
  status: z.enum(['ready', 'degraded']),
  version: z.string(),
  homeId: z.string(),
  pid: z.number().int(),
  startedAt: time,
  engine: z.object({
    connected: z.boolean(),
    address: z.string().nullable(),
    namespace: z.string(),
    uiUrl: z.string().nullable(),
    serverVersion: z.string().nullable(),
    problem: z.string().nullable(),
  }),
  hosts: z.array(
    z.object({
      id: z.string(),
      hostname: z.string(),
      pid: z.number().int(),
      live: z.boolean(),
      stopped: z
        .boolean()
        .default(false)
        .describe(
          'It has said that it ends, and nothing runs there; not live and not stopped: silent',
        ),
      slots: z.number().int(),
      busy: z.number().int(),
      lastSeenAt: time,
    }),
  ),
  invocations: z.record(z.string(), z.number()).describe('Open invocations by status'),
  outbox: z.object({ rows: z.number().int(), oldestSeconds: z.number().nullable() }),
});
export type Health = z.infer<typeof healthSchema>;

export const backupSchema = z.object({
  file: z.string(),
  bytes: z.number().int(),
  takenAt: time.describe('What was committed before this is in it'),
  schema: z.number().int(),
});
export type Backup = z.infer<typeof backupSchema>;

export const storeCheckSchema = z.object({
  file: z.string(),
  problems: z.array(z.string()).describe('What SQLite found wrong; empty in a sound file'),
  schema: z.number().int(),
  knownSchema: z.number().int().describe('What this Offshoot reads; a higher one is refused'),
  bytes: z.number().int(),
  walBytes: z.number().int(),
  outbox: z.object({ rows: z.number().int(), oldestAt: time.nullable() }),
  staleClaims: z
    .array(z.object({ invocationId: z.string(), runNo: z.number().int(), hostId: z.string() }))
    .describe('Runs that count as running on a host that has gone or has begun anew'),
  newestAt: time.nullable().describe('When the latest entry was made, by the clock of then'),
  now: time.describe("The server's clock"),
});
export type StoreCheck = z.infer<typeof storeCheckSchema>;

/** `<home>/server.json`: how clients find the running server. */
export const serverFileSchema = z.object({
  url: z.string(),
  /** What runner hosts elsewhere are given, where `server.listen` names one more address. */
  remoteUrl: z.string().nullable().default(null),
  pid: z.number().int(),
  tokenFile: z.string(),
  temporal: z.object({
    address: z.string().nullable(),
    namespace: z.string(),
    uiUrl: z.string().nullable(),
  }),
});
export type ServerFile = z.infer<typeof serverFileSchema>;

export const problemSchema = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.number().int(),
    code: z.string(),
    detail: z.string(),
    hint: z.string().nullable(),
  })
  .meta({ id: 'Problem' });
export type Problem = z.infer<typeof problemSchema>;
