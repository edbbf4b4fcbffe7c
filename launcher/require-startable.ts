import { choosePort, requireFreePort } from '../api/server-port.ts';
import type { Config } from '../contract/config.ts';
import { homePaths } from '../contract/home.ts';
import { isRunning } from '../engine/process-identity.ts';
import { readPidFile } from '../engine/pid-file.ts';

/** Refuses what no second try could mend, before anything is started. */
export async function requireStartable({
  home,
  port,
  config,
}: {
  home: string;
  port: number | null;
  config: Config;
}): Promise<void> {
  const paths = homePaths(home);
  const server = readPidFile(paths.serverPidFile);
  // One that outlived its launcher holds its port by right, and is taken over.
  if (server !== null && isRunning(server)) return;
  await requireFreePort(paths, choosePort(paths, port, config.server.port));
}
