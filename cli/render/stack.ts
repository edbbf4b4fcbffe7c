/** Where everything is, for `up`, and how it is, for `status`. */
import type { AppError } from '../../contract/errors.ts';
import type { Health, ServerFile } from '../../contract/system-records.ts';
import { formatDuration } from './duration.ts';
import type { Style } from './style.ts';

export interface Addresses {
  api: string;
  /** How runner hosts on other machines reach it; null where none can. */
  remoteUrl: string | null;
  docs: string;
  temporalUi: string | null;
  hosts: { id: string; slots: number }[];
  home: string;
}

export function addressesOf(
  home: string,
  { url, remoteUrl }: Pick<ServerFile, 'url' | 'remoteUrl'>,
  health: Health,
): Addresses {
  const hosts = health.hosts.filter(({ live }) => live).map(({ id, slots }) => ({ id, slots }));
  const docs = `${url}/api/docs`;
  return { api: url, remoteUrl, docs, temporalUi: health.engine.uiUrl, hosts, home };
}

export function renderAddresses(addresses: Addresses, style: Style): string {
  return lines(
    [
      ['API', addresses.api],
      ...remoteFields(addresses),
      ['API docs', addresses.docs],
      ['Temporal UI', addresses.temporalUi ?? 'see the Temporal that you have named'],
      ...addresses.hosts.map(({ id, slots }): [string, string] => [
        'runner host',
        `${id}, ${slots} ${slots === 1 ? 'slot' : 'slots'}`,
      ]),
      ['home', addresses.home],
    ],
    style,
  );
}

function remoteFields({ remoteUrl }: { remoteUrl: string | null }): [string, string][] {
  if (remoteUrl === null) return [];
  const { hostname, port } = new URL(remoteUrl);
  const isEvery = hostname === '0.0.0.0' || hostname === '[::]';
  return [['elsewhere', isEvery ? `port ${port} of every address of this machine` : remoteUrl]];
}

/** What keeps a stack that has started from being whole, and what to do; null when nothing does. */
export function troubleOf(
  health: Health,
  { isNamed, logs }: { isNamed: boolean; logs: string },
): { what: string; remedy: string } | null {
  const { engine, hosts } = health;
  if (!engine.connected) {
    const remedy = isNamed
      ? 'See that it runs, and that address, TLS and namespace are right; offshoot down and up take a new address.'
      : `See ${logs}/engine.log, and offshoot doctor.`;
    return {
      what: `Temporal at ${engine.address ?? 'an address not known yet'} is not reached: ${engine.problem ?? 'nobody knows why'}.`,
      remedy: `Agents run all the same, and it hears of them later. ${remedy}`,
    };
  }
  if (hosts.some(({ live }) => live)) return null;
  return { what: 'No runner host is live: no agent can run.', remedy: `See ${logs}/host.log.` };
}

export type StackState =
  'ready' | 'degraded' | 'not answering' | 'restarting' | 'stopping' | 'not running';

/** As any error is told with `--json`. */
export type Problem = Pick<AppError, 'code' | 'message' | 'hint'>;

export interface StackStatus {
  state: StackState;
  home: string;
  url: string | null;
  remoteUrl: string | null;
  /** Its pid. */
  launcher: number | null;
  processes: { name: string; pid: number | null; isRunning: boolean }[];
  health: Health | null;
  /** Why there is no health; with health: what is wrong with the configuration. */
  problem: Problem | null;
}

export function renderStatus(stack: StackStatus, style: Style): string {
  const { health, state, problem } = stack;
  const fields = [
    ...(health === null ? serverProblemFields(problem) : healthFields(stack, health)),
    ['home', stack.home] satisfies [string, string],
    ...(health === null || problem === null ? [] : problemFields('configuration', problem)),
    ...processFields(stack),
  ];
  return `${paintOf(state, style)(state)}\n${lines(fields, style)}`;
}

function paintOf(state: StackState, { green, yellow, red }: Style): (text: string) => string {
  if (state === 'ready') return green;
  return state === 'not running' || state === 'not answering' ? red : yellow;
}

function serverProblemFields(problem: Problem | null): [string, string][] {
  return problemFields('server', problem ?? { message: 'the server does not answer', hint: null });
}

function problemFields(
  name: string,
  { message, hint }: Pick<Problem, 'message' | 'hint'>,
): [string, string][] {
  const why: [string, string] = [name, message];
  return hint === null ? [why] : [why, ['', hint]];
}

function processFields({ launcher, processes }: StackStatus): [string, string][] {
  const live = processes.filter(({ isRunning }) => isRunning);
  const names = live.map(({ name, pid }) => `${name} ${pid}`);
  const all = [...(launcher === null ? [] : [`launcher ${launcher}`]), ...names];
  const told: [string, string] = ['processes', all.length === 0 ? 'none' : all.join(', ')];
  if (launcher !== null || live.length === 0) return [told];
  // All else has ended: that is how `down --leave-agents` leaves it.
  const isLeft = live.every(({ name }) => name === 'host');
  const why: [string, string] = isLeft
    ? ['runner host', 'finishes its agents; the answers are taken in at the next offshoot up']
    : ['launcher', 'none: what dies is not started again; offshoot up --detach starts one'];
  return [told, why];
}

function healthFields(
  stack: Pick<StackStatus, 'url' | 'remoteUrl'>,
  { engine, hosts, ...health }: Health,
): [string, string][] {
  const open = Object.entries(health.invocations).map(([status, count]) => `${count} ${status}`);
  const { rows, oldestSeconds } = health.outbox;
  const oldest =
    oldestSeconds === null ? '' : `, the oldest ${formatDuration(oldestSeconds * 1000)}`;
  return [
    ['server', `${stack.url ?? ''} (version ${health.version})`],
    ...remoteFields(stack),
    [
      'engine',
      engine.connected
        ? `${engine.address}, namespace ${engine.namespace}`
        : `${engine.address ?? 'address unknown'}, not connected${engine.problem === null ? '' : `: ${engine.problem}`}`,
    ],
    ['Temporal UI', engine.uiUrl ?? 'unknown'],
    ...hosts.map(({ id, live, stopped, busy, slots, hostname }): [string, string] => [
      `host ${id}`,
      stopped
        ? `stopped on ${hostname}`
        : `${live ? 'live' : 'away'} on ${hostname}, ${busy} of ${slots} busy`,
    ]),
    ['open', open.length === 0 ? 'nothing' : open.join(', ')],
    ['to be sent', `${rows}${oldest}`],
  ];
}

function lines(fields: [string, string][], style: Style): string {
  const width = Math.max(...fields.map(([name]) => name.length));
  return fields.map(([name, value]) => `  ${style.dim(name.padEnd(width))}  ${value}\n`).join('');
}
