import type { SessionRecord } from '../contract/records.ts';
import type { Db } from './database.ts';
import { lineageOf } from './lineage.ts';
import { sessionById, type SessionRow } from './sessions.ts';

export function sessionRecord(db: Db, row: SessionRow): SessionRecord {
  const edge = lineageOf(db, row.id);
  return {
    sessionKey: row.session_key,
    agentId: row.agent_id,
    kind: row.kind,
    harness: row.harness,
    project: row.project,
    title: row.title,
    parentSessionId: edge ? sessionById(db, edge.parent_session_id).session_key : null,
    rootSessionId: edge ? sessionById(db, edge.root_session_id).session_key : row.session_key,
    depth: edge?.depth ?? 0,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
