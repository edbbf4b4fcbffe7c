import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { configSchema } from '../../contract/config.ts';
import { saidIn } from '../../contract/log.ts';
import { describeEvent } from '../../launcher/events.ts';
import { launch, type Launcher, type LaunchOptions } from '../../launcher/launch.ts';
import { stopLauncher } from '../../launcher/stop-launcher.ts';
import { bundled } from '../support/bundled.ts';
import { withFolder } from '../support/folder.ts';

export const fixture = (name: string) =>
  fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));

let program: Promise<string> | null = null;
/** A launcher over fake server and host, as a program. */
export const launcherProgram = () => (program ??= bundled(fixture('launcher-program.ts')));

export interface Room {
  home: string;
  /** What the launchers of this room have told, one line per event. */
  lines: string[];
  /** A launcher in this process. */
  launch: (change?: Partial<LaunchOptions>) => ReturnType<typeof launch>;
  /** A launcher in a process of its own, which may be killed. */
  startLauncher: () => Promise<ChildProcess>;
  read: (name: string) => string[];
}

/** A home over fake server and host, without an engine; all of it is gone afterwards. */
export async function withRoom(run: (room: Room) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    const home = join(folder, 'home');
    mkdirSync(home);
    const lines: string[] = [];
    // A Temporal of the user's own: none is started.
    const env = { ...process.env, TEMPORAL_ADDRESS: '127.0.0.1:9' };
    const options: LaunchOptions = {
      ...{ home, port: null, env },
      readConfig: () => configSchema.parse({ server: { port: 0 } }),
      onEvent: (event) => lines.push(describeEvent(event)),
      entry: (name) => fixture(name === 'api' ? 'fake-server.mjs' : 'fake-host.mjs'),
    };
    const children: ChildProcess[] = [];
    const launchers: Launcher[] = [];
    const startLauncher = async () => {
      const args = [await launcherProgram()];
      const child = spawn(process.execPath, args, { env: { ...env, OFFSHOOT_HOME: home } });
      const keep = (chunk: Buffer) =>
        lines.push(...chunk.toString().trim().split('\n').map(saidIn));
      child.stdout.on('data', keep);
      child.stderr.on('data', keep);
      children.push(child);
      return child;
    };
    const room: Room = {
      home,
      lines,
      launch: async (change) => {
        const launcher = await launch({ ...options, ...change });
        launchers.push(launcher);
        return launcher;
      },
      startLauncher,
      read: (name) => readLines(join(home, name)),
    };
    try {
      await run(room);
    } finally {
      // Before `stopLauncher`, which would signal the launchers of this very process.
      await Promise.all(launchers.map((launcher) => launcher.stop()));
      children.forEach((child) => child.kill('SIGKILL'));
      await stopLauncher(home, { leaveAgents: false, onProgress: () => {}, killGraceMs: 0 });
    }
  });
}

export async function until(what: string, isTrue: () => boolean, withinMs = 20_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!isTrue()) {
    if (Date.now() > deadline) throw new Error(`it did not come to this: ${what}`);
    await sleep(20);
  }
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').trim().split('\n');
  } catch {
    return [];
  }
}
