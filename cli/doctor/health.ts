/** Findings about what runs, from what the server says of itself. */
import { localHostId } from '../../contract/names.ts';
import type { Health, RunnerInfo } from '../../contract/system-records.ts';
import { isOlder, oldestServer } from '../../engine/versions.ts';
import { formatDuration } from '../render/duration.ts';
import { ill, well, type Finding } from '../render/findings.ts';

/** The relay sends within milliseconds; what waits longer than this waits for something. */
const outboxSecondsMax = 30;

/** `isNamed`: the running stack has been given a Temporal, and keeps none itself. */
export function checkHealth(
  health: Health,
  here: { url: string; version: string; isNamed: boolean },
): Finding[] {
  return [
    checkServer(health, here),
    checkEngine(health.engine, here.isNamed),
    checkHosts(health.hosts),
    checkOutbox(health.outbox),
  ];
}

function checkServer(health: Health, { url, version }: { url: string; version: string }): Finding {
  const what = `${url}, pid ${health.pid}, version ${health.version}`;
  if (health.version === version) return well('server', what);
  return ill('error', 'server', {
    what: `${what}, but this command is ${version}`,
    why: 'They may misunderstand each other.',
    remedy: 'restart it with this version: offshoot down, then offshoot up',
  });
}

function checkEngine(engine: Health['engine'], isNamed: boolean): Finding {
  if (engine.connected) {
    const { serverVersion } = engine;
    const version = serverVersion === null ? '' : `, version ${serverVersion}`;
    const ui = engine.uiUrl === null ? '' : `, UI ${engine.uiUrl}`;
    const what = `${engine.address}${version}${ui}`;
    // A service may call its version otherwise.
    const isNumbered = /^\d+\.\d+/.test(serverVersion ?? '');
    if (!isNumbered || !isOlder(serverVersion!, oldestServer)) return well('engine', what);
    return ill('warning', 'engine', {
      what: `${what}: older than ${oldestServer}`,
      why: 'Offshoot relies on what came with that: steps may be slow or missing in Temporal UI.',
      remedy: isNamed
        ? `update that Temporal to ${oldestServer} or newer`
        : 'offshoot down, then offshoot up',
    });
  }
  const where = engine.address === null ? '' : ` to ${engine.address}`;
  return ill('error', 'engine', {
    what: `not connected${where}${engine.problem === null ? '' : `: ${engine.problem}`}`,
    why: 'Agents run all the same; Temporal UI shows what they do once it is back.',
    remedy: isNamed
      ? 'see that it runs, and that address, TLS and namespace are right (offshoot engine status); offshoot down and up take a new address'
      : 'see offshoot engine status, and engine.log',
  });
}

function checkHosts(hosts: Health['hosts']): Finding {
  const live = hosts.filter((host) => host.live);
  const stopped = hosts.filter((host) => host.stopped);
  const away = hosts.filter((host) => !host.live && !host.stopped);
  const named = live.map(({ id, busy, slots }) => `${id} (${busy} of ${slots} busy)`).join(', ');
  const parts = [
    named === '' ? 'none is live' : named,
    away.length > 0 && `away: ${idsOf(away)}`,
    stopped.length > 0 && `stopped: ${idsOf(stopped)}`,
  ];
  const what = parts.filter(Boolean).join('; ');
  if (live.length > 0 && away.length === 0) return well('runner hosts', what);
  return ill(live.length === 0 ? 'error' : 'warning', 'runner hosts', {
    what,
    why: live.length === 0 ? 'No agent can run.' : 'What runs there cannot be heard of or stopped.',
    remedy: hostRemedy(away, live.length === 0),
  });
}

function hostRemedy(away: Health['hosts'], isNoneLive: boolean): string {
  const elsewhere = away.filter(({ id }) => id !== localHostId);
  const remedies = [
    elsewhere.length > 0 &&
      `start ${idsOf(elsewhere)} there (offshoot worker), or take it away for good: offshoot worker token <name> --revoke`,
    (isNoneLive || elsewhere.length < away.length) &&
      'offshoot up starts the one of this machine (host.log)',
  ];
  return remedies.filter(Boolean).join('; ');
}

const idsOf = (hosts: Health['hosts']) => hosts.map(({ id }) => id).join(', ');

function checkOutbox({ rows, oldestSeconds }: Health['outbox']): Finding {
  const age = oldestSeconds ?? 0;
  const oldest = rows === 0 ? '' : `, the oldest for ${formatDuration(age * 1000)}`;
  const what = `${rows} waiting to reach the engine${oldest}`;
  if (age <= outboxSecondsMax) return well('outbox', what);
  return ill('error', 'outbox', {
    what,
    why: 'What is to be started waits. Nothing is lost, and it is sent again by itself.',
    remedy: 'look at the engine first, then at server.log',
  });
}

export function checkRunners(runners: readonly RunnerInfo[]): Finding[] {
  return runners
    .filter(({ available }) => !available)
    .map(({ id, command, reason }) =>
      ill('error', `runner ${id}`, {
        what: `cannot run ${command}`,
        why: 'Whoever asks for it fails.',
        remedy: reason ?? 'look at its entry in the configuration',
      }),
    );
}
