/** The server's link to an engine, over the store of a room; no runner host is needed for what is tested with it. */
import { fileURLToPath } from 'node:url';
import { EngineLink } from '../../worker/engine-link.ts';
import type { Room } from '../operations/operations-fixture.ts';

const bundle = fileURLToPath(new URL('../../dist/workflow-bundle.js', import.meta.url));
/** The same engine as before, whenever it is asked. */
export const linkEpoch = 'the same engine as before';

export async function withLink<T>(
  room: Room,
  address: string,
  use: (link: EngineLink) => Promise<T>,
): Promise<T> {
  const link = new EngineLink({
    store: room.store,
    target: () => ({
      ...{ connection: { address }, namespace: 'default', address },
      ...{ uiUrl: null, instance: null },
    }),
    namespace: 'default',
    prepare: async () => ({ epoch: linkEpoch, serverVersion: '1', attributes: [] }),
    workflowBundle: bundle,
    sessionIdleMs: () => 100,
    onChange: () => {},
    log: () => {},
  });
  try {
    return await use(link);
  } finally {
    await link.stop();
  }
}
