/** Findings about what runs, from what the server says of itself. */
import type { Health, RunnerInfo } from '../../contract/records.ts';
import { formatDuration } from '../render/duration.ts';
import type { Finding } from '../render/findings.ts';

/** The relay sends within milliseconds; what waits longer than this waits for something. */
const outboxSecondsMax = 30;

export function checkHealth(health: Health, here: { url: string; version: string }): Finding[] {
  return [
    checkServer(health, here),
    checkEngine(health.engine),
    checkHosts(health.hosts),
    checkOutbox(health.outbox),
  ];
}

function checkServer(health: Health, { url, version }: { url: string; version: string }): Finding {
  const isGood = health.version === version;
  return {
    name: 'server',
    isGood,
    detail: `${url}, pid ${health.pid}, version ${health.version}${isGood ? '' : `, but this command is ${version}`}`,
    remedy: isGood ? null : 'restart it with this version: offshoot down, then offshoot up',
  };
}

function checkEngine(engine: Health['engine']): Finding {
  if (engine.connected) {
    const version = engine.serverVersion === null ? '' : `, version ${engine.serverVersion}`;
    const ui = engine.uiUrl === null ? '' : `, UI ${engine.uiUrl}`;
    return {
      name: 'engine',
      isGood: true,
      detail: `${engine.address}${version}${ui}`,
      remedy: null,
    };
  }
  const where = engine.address === null ? '' : ` to ${engine.address}`;
  return {
    name: 'engine',
    isGood: false,
    detail: `not connected${where}${engine.problem === null ? '' : `: ${engine.problem}`}`,
    remedy:
      'what was accepted is kept and goes on by itself; see offshoot engine status and the log',
  };
}

function checkHosts(hosts: Health['hosts']): Finding {
  const live = hosts.filter((host) => host.live);
  const named = live.map(({ id, busy, slots }) => `${id} (${busy} of ${slots} busy)`).join(', ');
  const away = hosts.length - live.length;
  return {
    name: 'runner hosts',
    isGood: live.length > 0 && away === 0,
    detail: `${named === '' ? 'none is live' : named}${away === 0 ? '' : `; ${away} away`}`,
    remedy:
      live.length > 0 && away === 0
        ? null
        : 'offshoot up starts the one of this machine; its log is host.log',
  };
}

function checkOutbox({ rows, oldestSeconds }: Health['outbox']): Finding {
  const age = oldestSeconds ?? 0;
  const isGood = age <= outboxSecondsMax;
  const oldest = rows === 0 ? '' : `, the oldest for ${formatDuration(age * 1000)}`;
  return {
    name: 'outbox',
    isGood,
    detail: `${rows} waiting to reach the engine${oldest}`,
    remedy: isGood
      ? null
      : 'look at the engine first; nothing is lost, and it is sent again by itself',
  };
}

export function checkRunners(runners: readonly RunnerInfo[]): Finding[] {
  return runners
    .filter(({ available }) => !available)
    .map(({ id, command, reason }) => ({
      name: `runner ${id}`,
      isGood: false,
      detail: `cannot run ${command}`,
      remedy: reason ?? 'look at its entry in the configuration',
    }));
}
