import { homedir, userInfo } from 'node:os';
import { readEnvironment } from '../contract/config.ts';
import { cacheFolder } from './cache.ts';
import type { FindDeps } from './find-binary.ts';

/** What `findBinary` needs, drawn from an environment. */
export function findDeps(
  env: Record<string, string | undefined>,
  onProgress: (line: string) => void,
): FindDeps {
  const { temporalBin, path, cacheHome } = readEnvironment(env);
  // An empty HOME is as good as none: relative paths would follow from it.
  const homeFolder = homedir() || userInfo().homedir;
  const cacheDir = cacheFolder({ cacheHome, homeFolder, platform: process.platform });
  return { temporalBin, path, cacheDir, env: { ...env, HOME: homeFolder }, onProgress };
}
