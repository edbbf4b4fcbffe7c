import type { Deps } from '../deps.ts';

/** Where runner hosts find the engine; null while it is not known. */
export function engineAddress(deps: Deps): { address: string; namespace: string } | null {
  const { address, namespace } = deps.engine();
  return address === null ? null : { address, namespace };
}
