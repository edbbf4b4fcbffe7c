/** What can be named, and how everything is. */
import { localHostId } from '../contract/names.ts';
import type { OperationOutput } from '../contract/operations.ts';
import type { Health } from '../contract/system-records.ts';
import { load } from '../store/admission.ts';
import { isLive, listHosts, type HostRow } from '../store/hosts.ts';
import { hostTokenId } from '../store/host-tokens.ts';
import { openByStatus } from '../store/invocations.ts';
import { outboxState } from '../store/outbox.ts';
import type { Caller } from './caller.ts';
import type { Deps } from './deps.ts';
import { askingInvocation } from './gate.ts';

export async function listRunners(
  deps: Deps,
  caller: Caller,
): Promise<OperationOutput<'listRunners'>> {
  askingInvocation(deps, caller);
  return { runners: deps.runners.list() };
}

export async function getHealth(deps: Deps, caller: Caller): Promise<Health> {
  askingInvocation(deps, caller);
  const { store } = deps;
  const now = store.now();
  const engine = deps.engine();
  const hosts = listHosts(store.db)
    .filter(isExpected)
    .map((host) => {
      const busy = load(store, host).total;
      // A host that takes nothing more ends with its last agent.
      const stopped = host.draining === 1 && busy === 0;
      return {
        id: host.id,
        hostname: host.hostname,
        pid: host.pid,
        live: !stopped && isLive(host, now),
        stopped,
        slots: host.slots,
        busy,
        lastSeenAt: host.last_seen_at,
      };
    });
  // One that was revoked is not missed, once nothing of it is left.
  function isExpected(host: HostRow): boolean {
    const isKnown = host.id === localHostId || hostTokenId(store.db, host.id) !== null;
    return isKnown || load(store, host).total > 0;
  }
  const { rows, oldest } = outboxState(store.db);
  return {
    status: engine.connected && hosts.some((host) => host.live) ? 'ready' : 'degraded',
    version: deps.version,
    homeId: store.homeId,
    pid: deps.pid,
    startedAt: deps.startedAt,
    engine,
    hosts,
    invocations: openByStatus(store.db),
    outbox: {
      rows,
      oldestSeconds: oldest === null ? null : (Date.parse(now) - Date.parse(oldest)) / 1000,
    },
  };
}
