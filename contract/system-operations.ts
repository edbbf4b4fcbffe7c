/** Runners, hosts, and the state of the whole. Part of contract/operations.ts. */
import { z } from 'zod';
import { hostTokenSchema, nothingSchema, takeBackupSchema } from './requests.ts';
import {
  backupSchema,
  healthSchema,
  runnerInfoSchema,
  storeCheckSchema,
} from './system-records.ts';

export const systemOperations = {
  listRunners: {
    method: 'GET',
    path: '/api/runners',
    summary: 'Runners that can be named',
    input: nothingSchema,
    output: z.object({ runners: z.array(runnerInfoSchema) }),
  },
  takeBackup: {
    method: 'POST',
    path: '/api/backups',
    summary: 'Copy the store while it is in use, and verify the copy (administrator)',
    input: takeBackupSchema,
    output: backupSchema,
  },
  checkStore: {
    method: 'POST',
    path: '/api/store/check',
    summary: 'Read the whole store and say whether it is sound (administrator)',
    input: nothingSchema,
    output: storeCheckSchema,
  },
  getHealth: {
    method: 'GET',
    path: '/api/health',
    summary: 'State of server, engine and runner hosts',
    input: nothingSchema,
    output: healthSchema,
  },
  issueHostToken: {
    method: 'POST',
    path: '/api/hosts/{hostId}/token',
    summary: 'Give a runner host on another machine its token; the one before is revoked',
    input: hostTokenSchema,
    output: z.object({ hostId: z.string(), token: z.string() }),
  },
  revokeHostToken: {
    method: 'DELETE',
    path: '/api/hosts/{hostId}/token',
    summary: 'Revoke the token of a runner host on another machine',
    input: hostTokenSchema,
    output: z.object({ hostId: z.string() }),
  },
} as const;
