/** A runner host on "another machine": a home of its own, a token of its own, one way to the server. */
import { spawn } from 'node:child_process';
import {
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Health } from '../../contract/system-records.ts';
import { binFile, cleanEnv } from './commands.ts';
import { isLiving } from './crash-fixture.ts';
import type { Network } from './network.ts';
import { until, type Stack } from './stack.ts';

export interface RemoteHost {
  name: string;
  home: string;
  pid: number;
  said(): string;
  /** Processes of its agents that live. */
  agents(): number[];
  health(): Promise<Health['hosts'][number] | undefined>;
  untilLive(isLive?: boolean, seconds?: number): Promise<void>;
  exited: Promise<number | null>;
  stop(): Promise<void>;
}

/** Four times the slots of the host beside the server, so that it is the freest and gets the work. */
export async function startRemoteHost(
  stack: Stack,
  network: Network,
  {
    name,
    slots = 8,
    token,
    env = {},
  }: { name: string; slots?: number; token?: string; env?: Record<string, string> },
): Promise<RemoteHost> {
  const home = mkdtempSync(join(realpathSync(tmpdir()), 'home-'));
  const tokenFile = join(home, 'host.token');
  const issued = token ?? (await stack.client.call('issueHostToken', { hostId: name })).token;
  writeFileSync(tokenFile, issued, { mode: 0o600 });
  const given = ['--server', network.url(stack.url), '--token-file', tokenFile];
  const line = [...network.prefix, process.execPath, binFile, 'worker', ...given];
  const child = spawn(line[0]!, [...line.slice(1), '--slots', String(slots)], {
    env: cleanEnv({ OFFSHOOT_HOME: home, ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text));
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const health = async () =>
    (await stack.client.call('getHealth', {})).hosts.find((host) => host.id === name);
  return {
    name,
    home,
    pid: child.pid!,
    said: () => said,
    agents: () => agentsOfHost(home, name),
    health,
    untilLive: async (isLive = true, seconds = 30) =>
      void (await until(health, (host) => (host?.live ?? false) === isLive, seconds)),
    exited,
    async stop() {
      child.kill('SIGTERM');
      await exited;
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function agentsOfHost(home: string, name: string): number[] {
  const homeId = readFileSync(join(home, 'hosts', name, 'home-id'), 'utf8');
  const mark = `OFFSHOOT_RUN=${homeId}/${name}/`;
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && isLiving(Number(entry)))
    .map(Number)
    .filter((pid) => {
      try {
        const environ = readFileSync(`/proc/${pid}/environ`, 'utf8');
        return environ.split('\0').some((variable) => variable.startsWith(mark));
      } catch {
        return false;
      }
    });
}
