/** The spools of a home: one for its own server, and one for each token that an environment has named. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { HomePaths } from '../../contract/home.ts';

/** The home's own first. */
export function hookSpoolsOf({ hookSpools, ownHookSpool }: HomePaths): string[] {
  try {
    const found = readdirSync(hookSpools, { withFileTypes: true })
      .filter((one) => one.isDirectory())
      .map(({ name }) => join(hookSpools, name));
    return [ownHookSpool, ...found.filter((folder) => folder !== ownHookSpool)];
  } catch {
    // Nothing was ever kept, or nothing can be: who looks into the home's own learns which.
    return [ownHookSpool];
  }
}
