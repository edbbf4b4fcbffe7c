/** A real server on a home of its own, without engine and runner host: nothing that it accepts can run. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, discover, type OffshootClient } from '../../client/index.ts';
import { homePaths } from '../../contract/home.ts';
import { entryFile } from '../../launcher/entry.ts';
import { cleanEnv } from './commands.ts';
import { until } from './stack.ts';

export interface LoneServer {
  home: string;
  url: string;
  token: string;
  client: OffshootClient;
  pid: number;
}

export async function withLoneServer(
  options: {
    config?: Record<string, unknown>;
    env?: Record<string, string>;
    /** Where its home lies, if that matters. */
    folder?: string;
    /** Another build than `dist/`. */
    entry?: typeof entryFile;
    /** Before the server starts. */
    prepare?: (home: string) => Promise<void>;
  },
  use: (server: LoneServer) => Promise<void>,
): Promise<void> {
  const home = mkdtempSync(join(options.folder ?? realpathSync(tmpdir()), 'home-'));
  writeFileSync(join(home, 'config.json'), JSON.stringify(options.config ?? {}));
  await options.prepare?.(home);
  const child = spawn(process.execPath, [(options.entry ?? entryFile)('api'), '--port', '0'], {
    env: { ...cleanEnv({ OFFSHOOT_HOME: home }), ...options.env },
    stdio: 'ignore',
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  try {
    await until(async () => existsSync(homePaths(home).serverFile), Boolean);
    const { url, token } = discover(home);
    await use({ home, url, token, client: createClient({ url, token }), pid: child.pid! });
  } finally {
    child.kill('SIGTERM');
    await ended;
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}
