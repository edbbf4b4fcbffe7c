/** What a host is to begin and to stop, as the store has it now. */
import type { RunKey, SyncAnswer, SyncRequest } from '../../contract/store-api.ts';
import { isFinal } from '../../contract/words.ts';
import { findInvocation } from '../../store/invocations.ts';
import type { RunRow } from '../../store/lifecycle/claim.ts';
import type { Deps } from '../deps.ts';

export type Orders = Pick<SyncAnswer, 'stop' | 'start'>;

/** Without what it was told before and is about. */
export function ordersFor(deps: Deps, request: SyncRequest): Orders {
  const isNew = (order: RunKey) => !request.heard.some((one) => isSame(one, order));
  return {
    stop: toStop(deps, request).filter(isNew),
    start: request.draining ? [] : toStart(deps, request).filter(isNew),
  };
}

/**
 * What it was given a slot for and has not claimed, whether or not its workflow has begun. Also a run of
 * this very boot that it does not know of: the answer to its claim went astray, and claiming again says so.
 */
function toStart({ store }: Deps, request: SyncRequest): RunKey[] {
  return store.db
    .all<RunKey>(
      `SELECT s.id AS invocationId, coalesce(r.run_no,
         (SELECT coalesce(max(p.run_no), 0) + 1 FROM runs p WHERE p.invocation_id = s.id)) AS runNo
       FROM subagent_sessions s
       LEFT JOIN runs r ON r.invocation_id = s.id AND r.state = 'live'
       WHERE s.host_id = :hostId AND s.cancel_requested_at IS NULL
         AND (r.run_no IS NULL OR r.boot_id = :bootId)
       ORDER BY s.ordinal`,
      { hostId: request.hostId, bootId: request.bootId },
    )
    .filter((order) => !request.runs.some((run) => isSame(run, order)));
}

function toStop({ store }: Deps, request: SyncRequest): SyncAnswer['stop'] {
  return request.runs.flatMap<SyncAnswer['stop'][number]>(({ invocationId, runNo }) => {
    const row = findInvocation(store.db, invocationId);
    const run = store.db.get<RunRow>(
      'SELECT * FROM runs WHERE invocation_id = :invocationId AND run_no = :runNo',
      { invocationId, runNo },
    );
    const holds =
      row && !isFinal(row.status) && run?.state === 'live' && run.boot_id === request.bootId;
    if (!holds) return [{ invocationId, runNo, reason: 'not_yours' }];
    if (row.cancel_requested_at === null) return [];
    return [{ invocationId, runNo, reason: 'cancelled' }];
  });
}

const isSame = (one: RunKey, other: RunKey) =>
  one.invocationId === other.invocationId && one.runNo === other.runNo;
