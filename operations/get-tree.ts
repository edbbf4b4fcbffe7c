import { limits } from '../contract/limits.ts';
import type { ParsedInput } from '../contract/operations.ts';
import type { Tree, TreeNode } from '../contract/records.ts';
import { redact } from '../domain/redact.ts';
import { titleOf } from '../domain/story.ts';
import { inProject } from '../store/in-project.ts';
import type { Db } from '../store/index.ts';
import type { InvocationRow } from '../store/invocations.ts';
import { nowColumns, sessionNow, type NowColumns } from '../store/session-now.ts';
import type { SessionRow } from '../store/sessions.ts';
import type { Caller } from './caller.ts';
import type { Deps } from './deps.ts';
import { requireSession } from './gate.ts';
import { scopeOf } from './scope.ts';

type Listed = InvocationRow & { prompt: string };
type Member = SessionRow & NowColumns & { parent_id: number | null; depth: number };

/** Where a token is bound to a project, what is out of it is not gone through either. */
const belowTop = (project: string | null) => `WITH RECURSIVE below(id, parent_id, depth) AS (
  SELECT :top, NULL, coalesce((SELECT depth FROM lineage WHERE session_id = :top), 0)
  UNION ALL SELECT l.session_id, l.parent_session_id, l.depth
    FROM lineage l JOIN below ON l.parent_session_id = below.id
    ${project === null ? '' : `JOIN sessions s ON s.id = l.session_id AND ${inProject}`})`;

/** A session with everything below it: external and managed alike, children in order of creation. */
export async function getTree(
  deps: Deps,
  caller: Caller,
  input: ParsedInput<'getTree'>,
): Promise<Tree> {
  const { db } = deps.store;
  const top = requireSession(deps, caller, input).id;
  const project = scopeOf(caller)?.project ?? null;
  const max = limits.treeNodesMax;
  // A session comes after its parent, so none that is shown hangs in the air.
  const members = db.all<Member>(
    `${belowTop(project)} SELECT s.*, below.parent_id, below.depth, ${nowColumns}
     FROM below JOIN sessions s ON s.id = below.id ORDER BY s.id LIMIT :max`,
    { top, project, max },
  );
  const invocations = db.all<Listed>(
    `SELECT id, runner_id, status, execution_mode, title, substr(prompt, 1, 400) AS prompt,
            duration_ms, error, session_id
     FROM subagent_sessions WHERE session_id IN (SELECT value FROM json_each(:ids))
     ORDER BY ordinal LIMIT :max`,
    { ids: JSON.stringify(members.map((member) => member.id)), max },
  );
  const nodes = new Map(members.map((member) => [member.id, node(member, deps.store.now())]));
  for (const row of invocations) nodes.get(row.session_id)!.invocations.push(entry(row));
  for (const member of members) {
    if (member.parent_id !== null)
      nodes.get(member.parent_id)?.children.push(nodes.get(member.id)!);
  }
  const total = countBelow(db, top, project);
  const truncated = members.length < total.sessions || invocations.length < total.invocations;
  return { ...nodes.get(top)!, total, truncated };
}

function countBelow(db: Db, top: number, project: string | null): Tree['total'] {
  return db.get(
    `${belowTop(project)} SELECT (SELECT count(*) FROM below) AS sessions,
       (SELECT count(*) FROM subagent_sessions WHERE session_id IN (SELECT id FROM below)) AS invocations`,
    { top, project },
  )!;
}

function node(member: Member, now: string): TreeNode {
  return {
    sessionKey: member.session_key,
    kind: member.kind,
    harness: member.harness,
    ...sessionNow(member, now),
    title: member.title,
    depth: member.depth,
    invocations: [],
    children: [],
  };
}

function entry(row: Listed): TreeNode['invocations'][number] {
  return {
    id: row.id,
    runnerId: row.runner_id,
    status: row.status,
    executionMode: row.execution_mode,
    title: titleOf(row),
    durationMs: row.duration_ms,
    error: row.error === null ? null : redact(row.error),
  };
}
