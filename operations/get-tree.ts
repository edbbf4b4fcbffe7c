import { limits } from '../contract/limits.ts';
import type { ParsedInput } from '../contract/operations.ts';
import type { Tree, TreeNode } from '../contract/records.ts';
import { redact } from '../domain/redact.ts';
import { nameFor, titleOf } from '../domain/story.ts';
import { inProject } from '../store/in-project.ts';
import type { Db } from '../store/index.ts';
import type { InvocationRow } from '../store/invocations.ts';
import { nowColumns, sessionNow, type NowColumns } from '../store/session-now.ts';
import type { SessionRow } from '../store/sessions.ts';
import { safeStart, startSql } from '../store/words.ts';
import type { Caller } from './caller.ts';
import type { Deps } from './deps.ts';
import { requireSession } from './gate.ts';
import { scopeOf } from './scope.ts';

type Listed = InvocationRow & { prompt: string };
type Member = SessionRow & NowColumns & { parent_id: number | null; depth: number };
interface Top {
  top: number;
  /** Where a token is bound to one, what is out of it is not gone through either. */
  project: string | null;
}

const belowTop = ({ project }: Top) => `WITH RECURSIVE below(id, parent_id, level) AS (
  SELECT :top, NULL, 0
  UNION ALL SELECT l.session_id, l.parent_session_id, below.level + 1
    FROM lineage l JOIN below ON l.parent_session_id = below.id
    ${project === null ? '' : `JOIN sessions s ON s.id = l.session_id AND ${inProject}`})`;

/** A session with everything below it: external and managed alike, children in order of creation. */
export async function getTree(
  deps: Deps,
  caller: Caller,
  input: ParsedInput<'getTree'>,
): Promise<Tree> {
  const { db } = deps.store;
  const { id } = requireSession(deps, caller, input);
  const top = { top: id, project: scopeOf(caller)?.project ?? null };
  const members = membersOf(db, top);
  const invocations = invocationsOf(db, members);
  const nodes = new Map(members.map((member) => [member.id, node(member, deps.store.now())]));
  for (const row of invocations) nodes.get(row.session_id)!.invocations.push(entry(row));
  for (const { id: own, parent_id: parent } of members) {
    if (parent !== null) nodes.get(parent)!.children.push(nodes.get(own)!);
  }
  const total = countBelow(db, top);
  if (members.length < total.sessions) {
    for (const parent of parentsOfOthers(db, top, members)) {
      const shown = nodes.get(parent);
      if (shown) shown.hasMore = true;
    }
  }
  const truncated = members.length < total.sessions || invocations.length < total.invocations;
  return { ...nodes.get(id)!, total, truncated };
}

/** Level by level, so that none that is shown hangs in the air: who was named late may be older than its parent. */
function membersOf(db: Db, top: Top): Member[] {
  return db.all<Member>(
    `${belowTop(top)} SELECT s.*, below.parent_id, coalesce(l.depth, 0) AS depth, ${nowColumns}
     FROM below JOIN sessions s ON s.id = below.id LEFT JOIN lineage l ON l.session_id = s.id
     WHERE level < ${limits.treeLevelsMax} ORDER BY level, s.id LIMIT ${limits.treeNodesMax}`,
    { ...top },
  );
}

function invocationsOf(db: Db, members: readonly Member[]): Listed[] {
  return db.all<Listed>(
    `SELECT id, runner_id, status, execution_mode, title,
            iif(title IS NULL, ${startSql('prompt')}, '') AS prompt,
            duration_ms, error, session_id
     FROM subagent_sessions WHERE session_id IN (SELECT value FROM json_each(:ids))
     ORDER BY ordinal LIMIT ${limits.treeNodesMax}`,
    { ids: idsOf(members) },
  );
}

/** Of those that are not shown. */
function parentsOfOthers(db: Db, top: Top, members: readonly Member[]): number[] {
  return db
    .all<{ id: number }>(
      `${belowTop(top)} SELECT DISTINCT parent_id AS id FROM below
       WHERE id NOT IN (SELECT value FROM json_each(:ids))`,
      { ...top, ids: idsOf(members) },
    )
    .map(({ id }) => id);
}

const idsOf = (members: readonly Member[]) => JSON.stringify(members.map(({ id }) => id));

function countBelow(db: Db, top: Top): Tree['total'] {
  return db.get(
    `${belowTop(top)} SELECT (SELECT count(*) FROM below) AS sessions,
       (SELECT count(*) FROM subagent_sessions WHERE session_id IN (SELECT id FROM below)) AS invocations`,
    { ...top },
  )!;
}

function node(member: Member, now: string): TreeNode {
  return {
    sessionKey: member.session_key,
    kind: member.kind,
    harness: member.harness,
    ...sessionNow(member, now),
    title: member.title === null ? null : nameFor(member.title),
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
    title: titleOf({ title: row.title, prompt: safeStart(row.prompt) }),
    durationMs: row.duration_ms,
    error: row.error === null ? null : redact(row.error),
  };
}
