/** The runner host's process: it owns the agents' processes, and speaks to the server over HTTP. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createConfigSource } from '../config/index.ts';
import { readEnvironment } from '../contract/config.ts';
import { homePaths } from '../contract/home.ts';
import { localHostId } from '../contract/names.ts';
import { signToken } from '../domain/token.ts';
import { homeFolder } from '../client/home-folder.ts';
import { readServerFile } from '../client/server-file.ts';
import { takeFileLock } from '../engine/file-lock.ts';
import { folderMark } from '../engine/pid-file.ts';
import { connectOptions } from '../engine/connect-options.ts';
import { runCommand, sweep } from '../runners/index.ts';
import { startRunnerHost } from './host/runner-host.ts';
import { createStoreApi } from './host/store-api.ts';
import { logLine } from './log-line.ts';
import { installSdkRuntime } from './sdk-runtime.ts';
import type { EngineTarget } from './poll-engine.ts';

const environment = readEnvironment(process.env);
const home = homeFolder(environment.home);
const paths = homePaths(home);
const config = createConfigSource(home);
const killGraceMs = () => config.lastGood().limits.killGraceSeconds * 1000;

installSdkRuntime(logLine);
// Two hosts in one room would sweep each other's agents and take each other's claims away.
const folder = join(paths.hosts, localHostId);
const lock = join(folder, 'host.lock');
const holder = await takeFileLock(lock);
if (holder !== null) {
  logLine(`another runner host has ${home}: process ${holder.pid}. End it first: offshoot down`);
  process.exit(1);
}

const external = connectOptions({
  home,
  environment,
  env: process.env,
  config: config.read().engine,
});
const host = startRunnerHost({
  api: createStoreApi(() => ({
    url: readServerFile(home).url,
    token: signToken(readFileSync(paths.secret, 'utf8').trim(), {
      role: 'host',
      hostId: localHostId,
    }),
  })),
  hostId: localHostId,
  bootId: randomUUID(),
  hostname: hostname(),
  pid: process.pid,
  slots: () => config.lastGood().limits.slots,
  folder,
  folderMark: folderMark(lock),
  runProgram: (spec, io) =>
    runCommand(spec, { ...io, hostEnv: process.env, killGraceMs: killGraceMs() }),
  killGraceMs,
  sweep: async (prefix) => void (await sweep(prefix, { graceMs: killGraceMs() })),
  engine: external && !external.managed ? (external as EngineTarget) : null,
  log: logLine,
});

process.on('SIGTERM', () => host.stop());
process.on('SIGINT', () => host.stop());
process.on('SIGHUP', () => host.drain());
// Harmless to a host that is still starting, as every other signal is not.
process.on('SIGCONT', () => host.resume());

host.ended.then(
  () => process.exit(0),
  (error: unknown) => {
    logLine(`runner host failed: ${String(error)}`);
    process.exit(1);
  },
);
