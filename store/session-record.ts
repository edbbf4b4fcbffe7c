import type { SessionRecord } from '../contract/records.ts';
import { nameFor } from '../domain/story.ts';
import type { Db } from './database.ts';
import { namedLineage } from './lineage.ts';
import type { SessionRow } from './sessions.ts';

export function sessionRecord(db: Db, row: SessionRow): SessionRecord {
  const { parentSessionId, rootSessionId, depth } = namedLineage(db, row);
  return {
    sessionKey: row.session_key,
    agentId: row.agent_id,
    kind: row.kind,
    harness: row.harness,
    project: row.project,
    title: row.title === null ? null : nameFor(row.title),
    parentSessionId,
    rootSessionId,
    depth,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
