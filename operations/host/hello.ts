import { hostQueue, localHostId } from '../../contract/names.ts';
import type { HelloAnswer, HelloRequest } from '../../contract/store-api.ts';
import { reach } from '../../faults/reach.ts';
import { admitNext } from '../../store/admission.ts';
import { registerHost } from '../../store/hosts.ts';
import { loseRunsOfOlderBoots } from '../../store/lifecycle/lose.ts';
import type { Deps } from '../deps.ts';
import { engineAddress } from './engine-address.ts';

/** A new boot of a host. It has swept what its predecessor left, so those runs are lost for good. */
export async function hello(deps: Deps, request: HelloRequest): Promise<HelloAnswer> {
  // With a mistake in the configuration a host goes on as the server does.
  const { limits } = deps.lastGoodConfig();
  const ceiling = request.slots * (limits.maxDepth + 1);
  const now = await deps.store.write((tx) => {
    registerHost(tx, {
      id: request.hostId,
      boot_id: request.bootId,
      hostname: request.hostname,
      pid: request.pid,
      slots: request.slots,
      ceiling,
    });
    loseRunsOfOlderBoots(tx, request.hostId, request.bootId, 'its runner host was restarted');
    admitNext(tx);
    return tx.now;
  });
  deps.store.contacts.set(request.hostId, now);
  reach('hello recorded');
  return {
    homeId: deps.store.homeId,
    queue: request.hostId === localHostId ? hostQueue(deps.store.homeId, localHostId) : null,
    ceiling,
    leaseMinutes: limits.leaseMinutes,
    killGraceSeconds: limits.killGraceSeconds,
    workFolder: deps.paths.work,
    temporal: engineAddress(deps),
  };
}
