/** Gets the binary for this process's environment, for `scripts/setup.mjs` and the tests. */
import { readEnvironment } from '../contract/config.ts';
import { isExternalEngine } from './connect-options.ts';
import { findBinary, type EngineBinary } from './find-binary.ts';
import { findDeps } from './find-deps.ts';

/** Null where the user names a Temporal of their own. */
export async function prepareEngine(
  onProgress: (line: string) => void,
): Promise<EngineBinary | null> {
  if (isExternalEngine(readEnvironment(process.env))) return null;
  return await findBinary(findDeps(process.env, onProgress));
}
