/** A stack under a launcher in a process of its own, as `offshoot up --detach` leaves it behind. */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, discover } from '../../client/index.ts';
import type { Turn } from '../../contract/records.ts';
import { launcherStatus, startDetached, stopLauncher } from '../../launcher/index.ts';
import { entryFile } from '../../launcher/entry.ts';
import { cleanEnv } from './commands.ts';
import { pidOf, type Name, type Seen } from './crash-fixture.ts';

export interface DetachedStack extends Seen {
  /** `up --detach`: adopts what lives. */
  up(): Promise<{ wasRunning: boolean }>;
  down(options?: { leaveAgents?: boolean }): Promise<void>;
  pid(name: Name | 'launcher'): number;
  kill(...names: (Name | 'launcher')[]): void;
  pids(): number[];
  remove(): Promise<void>;
}

export async function startDetachedStack(
  config: Record<string, unknown>,
  entry = entryFile,
): Promise<DetachedStack> {
  const home = mkdtempSync(join(realpathSync(tmpdir()), 'home-'));
  writeFileSync(join(home, 'config.json'), JSON.stringify(config));
  const launcherProgram = entry('launcher');
  const env = cleanEnv();
  const up = () => startDetached({ home, port: 0, env, launcherProgram, onProgress: () => {} });
  await up();
  const { url, token } = discover(home);
  const client = createClient({ url, token });
  const pid: DetachedStack['pid'] = (name) =>
    name === 'launcher' ? launcherStatus(home).launcher!.pid : pidOf(home, name);
  const down: DetachedStack['down'] = async ({ leaveAgents = false } = {}) =>
    void (await stopLauncher(home, { leaveAgents, onProgress: () => {} }));
  return {
    home,
    client,
    up,
    down,
    pid,
    kill(...names) {
      const pids = names.map(pid);
      for (const one of pids) process.kill(one, 'SIGKILL');
    },
    pids: () => (['server', 'host', 'engine'] as const).map(pid),
    async transcript(id) {
      const { turns } = await client.call('getTranscript', { id, limit: 500 });
      return turns as Turn[];
    },
    async remove() {
      await down();
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
