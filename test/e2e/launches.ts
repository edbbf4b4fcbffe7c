/** How often a program was started: counted in its workspace, which no copy of the database holds. */
import type { SubAgentRecord } from '../../contract/records.ts';
import { written } from './agents.ts';

export const counted = (prompt: string) => `echo launched >> launches\n${prompt}`;

export const launches = (record: SubAgentRecord) =>
  (written(record, 'launches') ?? '').trim().split('\n').filter(Boolean).length;
