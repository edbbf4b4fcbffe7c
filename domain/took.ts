import type { SubAgentRecord } from '../contract/records.ts';

/** How long the work took: as its result says, else from start to end. Null while there is no end. */
export function tookMs(
  record: Pick<SubAgentRecord, 'result' | 'startedAt' | 'completedAt'>,
): number | null {
  if (record.result) return record.result.durationMs;
  if (record.startedAt === null || record.completedAt === null) return null;
  return Date.parse(record.completedAt) - Date.parse(record.startedAt);
}
