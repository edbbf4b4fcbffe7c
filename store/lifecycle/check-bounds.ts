/** Limits hold for the whole tree: a child can tighten what its parent has, never widen it. */
import { AppError } from '../../contract/errors.ts';
import { hints } from '../../contract/hints.ts';
import { countOpenChildren, type InvocationRow } from '../invocations.ts';
import { lineageOf } from '../lineage.ts';
import type { SessionRow } from '../sessions.ts';
import type { Tx } from '../write-queue.ts';

export interface BoundsRequest {
  /** The asking session; null for a root. */
  parent: SessionRow | null;
  /** A session that is there already, for a message sent to it; else a new one with this key. */
  session: SessionRow | { newKey: string };
  maxDepth: number;
  maxChildren: number;
  wallSeconds: number;
  /** What a session may ask for that has no limits of its own. */
  homeLimits: { maxDepth: number; maxChildren: number };
}

export interface Bounds {
  depth: number;
  maxDepth: number;
  maxChildren: number;
  deadlineAt: string;
}

/** The bounds of the new invocation, if it may be at all. */
export function checkBounds(tx: Tx, request: BoundsRequest, owner: InvocationRow | null): Bounds {
  const { parent } = request;
  const depth = depthOf(tx, request, owner);
  const allowedDepth = owner?.max_depth ?? request.homeLimits.maxDepth;
  if (depth > allowedDepth) {
    throw new AppError('depth_exceeded', `depth ${depth} is over the limit of ${allowedDepth}`, {
      hint: 'Do this work in the present agent, or let an agent higher up ask for it.',
    });
  }
  const allowedChildren = owner?.max_children ?? request.homeLimits.maxChildren;
  const open = parent
    ? countOpenChildren(tx.db, owner ? { invocationId: owner.id } : { sessionId: parent.id })
    : 0;
  if (parent && open >= allowedChildren) {
    throw new AppError(
      'children_exceeded',
      `${parent.session_key} has ${open} open children; the limit is ${allowedChildren}`,
      { hint: hints.fewerChildren.http },
    );
  }
  const wall = new Date(Date.parse(tx.now) + request.wallSeconds * 1000).toISOString();
  return {
    depth,
    maxDepth: Math.min(request.maxDepth, allowedDepth),
    maxChildren: Math.min(request.maxChildren, allowedChildren),
    deadlineAt: owner && owner.deadline_at < wall ? owner.deadline_at : wall,
  };
}

/** A message from nobody is as deep as the session it was sent to. */
function depthOf(tx: Tx, request: BoundsRequest, owner: InvocationRow | null): number {
  if (owner) return owner.depth + 1;
  if (request.parent) return sessionDepth(tx, request.parent) + 1;
  return 'newKey' in request.session ? 0 : sessionDepth(tx, request.session);
}

const sessionDepth = (tx: Tx, session: SessionRow) => lineageOf(tx.db, session.id)?.depth ?? 0;
