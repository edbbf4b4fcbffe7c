import { choosePort, requireFreePort } from '../api/server-port.ts';
import { readEnvironment, type Config } from '../contract/config.ts';
import { homePaths } from '../contract/home.ts';
import { connectOptions } from '../engine/connect-options.ts';
import { isRunning } from '../engine/process-identity.ts';
import { readPidFile } from '../engine/pid-file.ts';

/** Refuses what no second try could mend, before anything is started. */
export async function requireStartable({
  home,
  port,
  config,
  env,
}: {
  home: string;
  port: number | null;
  config: Config;
  env: Record<string, string | undefined>;
}): Promise<void> {
  // A Temporal that is named in a way that nobody understands would end server and host at each start.
  connectOptions({ home, environment: readEnvironment(env), env, config: config.engine });
  const paths = homePaths(home);
  const server = readPidFile(paths.serverPidFile);
  // One that outlived its launcher holds its port by right, and is taken over.
  if (server !== null && isRunning(server)) return;
  await requireFreePort(paths, choosePort(paths, port, config.server.port));
}
