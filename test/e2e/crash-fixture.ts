/** What crash tests share: processes seen from outside, and a tree of which every ending is known. */
import { expect } from '@jest/globals';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { OffshootClient } from '../../client/index.ts';
import type { SubAgentRecord, Turn } from '../../contract/records.ts';
import { isFinal } from '../../contract/words.ts';
import { homePaths } from '../../contract/home.ts';
import { readEngineFile } from '../../engine/engine-file.ts';
import { runners } from './agents.ts';
import { rows } from './rows.ts';
import { until, type Stack } from './stack.ts';

const demoEntry = fileURLToPath(new URL('../../dist/runners/demo-agent/main.js', import.meta.url));

/** Agents that may be repeated, and agents that may not (`demo` and `sh`). */
export const crashConfig = {
  runners: {
    sh: runners.sh,
    'sh-again': { ...runners.sh, onLost: 'rerun' },
    js: runners.js,
    'js-again': { ...runners.js, onLost: 'rerun' },
    'demo-again': {
      kind: 'command',
      command: process.execPath,
      args: [demoEntry],
      turns: true,
      onLost: 'rerun',
    },
  },
  limits: { slots: 12 },
};

/** Quick restarts, for tests that kill the same process often. */
export const quickRestarts = { delayMsMax: 150 };

export type Name = 'server' | 'host' | 'engine';

export function pidOf(home: string, name: Name): number {
  if (name === 'engine') return readEngineFile(home)!.pid;
  const paths = homePaths(home);
  const file = name === 'server' ? paths.serverPidFile : paths.hostPidFile;
  return (JSON.parse(readFileSync(file, 'utf8')) as { pid: number }).pid;
}

/** Living processes that carry the mark of a run of this home: agents and what they have left. */
export function agentsOf(home: string, invocationId = ''): number[] {
  return markedProcesses(home)
    .filter((one) => one.invocationId.startsWith(invocationId))
    .map(({ pid }) => pid);
}

/** Each living process of a run of this home, with the invocation that it belongs to. */
export function markedProcesses(home: string): { pid: number; invocationId: string }[] {
  const homeId = readFileSync(join(homePaths(home).hosts, 'local/home-id'), 'utf8');
  const mark = `OFFSHOOT_RUN=${homeId}/local/`;
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const entries = read(`/proc/${name}/environ`).split('\0');
      const found = entries.find((entry) => entry.startsWith(mark));
      if (found === undefined || !isLiving(Number(name))) return [];
      return [{ pid: Number(name), invocationId: found.slice(mark.length).split('/')[0]! }];
    });
}

export function isLiving(pid: number): boolean {
  const stat = read(`/proc/${pid}/stat`);
  return stat !== '' && !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** `running` is said at the claim; the process comes a moment later. */
export const untilAgents = (home: string, atLeast: number, invocationId = '') =>
  until(
    async () => agentsOf(home, invocationId),
    (pids) => pids.length >= atLeast,
  );

export const untilGone = (pids: number[], seconds = 15) =>
  until(
    async () => pids.filter(isLiving),
    (left) => left.length === 0,
    seconds,
  );

export async function untilRunning(client: OffshootClient, id: string): Promise<SubAgentRecord> {
  return until(
    () => client.call('getSubagent', { id }),
    ({ status }) => status === 'running',
  );
}

/** Kills processes at once and waits until others have taken their places. */
export async function replace(
  { home, client }: Pick<Stack, 'home' | 'client'>,
  names: Name[],
): Promise<void> {
  const before = names.map((name) => pidOf(home, name));
  for (const pid of before) process.kill(pid, 'SIGKILL');
  await untilUp({ home, client }, before);
}

/** Whole, and none of those that were there before. */
export async function untilUp(
  { home, client }: Pick<Stack, 'home' | 'client'>,
  before: number[] = [],
): Promise<void> {
  const isUp = async () => {
    const { status, pid, hosts } = await client.call('getHealth', {});
    const pids = (['server', 'host', 'engine'] as const).map((name) => pidOf(home, name));
    const areNew = pids.every((one) => isLiving(one) && !before.includes(one));
    return areNew && status === 'ready' && pid === pids[0] && hosts[0]?.pid === pids[1];
  };
  await until(isUp, Boolean);
}

/** A tree of three levels in all modes; it takes four seconds when nothing is killed. */
const treePrompt = (runner: string) => `
spawn callback as a runner ${runner}: {
  spawn callback as a1 runner ${runner}: { print a1 begins; sleep 2.5; print a1 ends; say a1 }
  spawn SYNC as a2 runner ${runner}: { sleep 1; say a2 }
  say a
}
spawn poll as b runner ${runner}: { spawn callback as b1 runner ${runner}: { sleep 3; say b1 }; say b }
spawn SYNC as c runner ${runner}: { sleep 0.5; spawn SYNC as c1 runner ${runner}: { sleep 2; say c1 }; say c }
wait
say root`;

const answers: Record<string, string> = {
  root: 'a completed: a1 completed: a1',
  a: 'a1 completed: a1',
  a1: 'a1',
  a2: 'a2',
  b: 'b1 completed: b1',
  b1: 'b1',
  c: 'c1 completed: c1\nc',
  c1: 'c1',
};

export const startTree = (client: OffshootClient, runnerId = 'demo') =>
  client.call('runSubagent', {
    runnerId,
    executionMode: 'ASYNC_POLL',
    title: 'root',
    prompt: treePrompt(runnerId),
  });

/** Waits until the leaves of the tree are at work. */
export async function untilGrown(client: OffshootClient, root: SubAgentRecord): Promise<void> {
  await until(
    () => client.call('listSubagents', { rootSessionId: root.sessionKey }),
    ({ items }) => items.length === 8 && items.every(({ status }) => status !== 'pending'),
  );
}

export type Seen = Pick<Stack, 'home' | 'client' | 'transcript'>;

async function untilEnded({ client }: Seen, root: SubAgentRecord): Promise<SubAgentRecord[]> {
  const { items } = await until(
    () => client.call('listSubagents', { rootSessionId: root.sessionKey }),
    (found) => found.items.length === 8 && found.items.every(({ status }) => isFinal(status)),
    40,
  );
  return items;
}

/** Every invocation has its true ending and result, and every callback came once. */
export async function expectTrueTree(stack: Seen, root: SubAgentRecord): Promise<void> {
  const items = await untilEnded(stack, root);
  const found = items.map(({ title, status, result, error }) => [
    title,
    status,
    error ?? result?.content,
  ]);
  const wanted = Object.entries(answers).map(([title, answer]) => [title, 'completed', answer]);
  expect(found.toSorted()).toEqual(wanted.toSorted());
  await expectToldOnce(stack, items);
}

/** Nothing was run twice: eight first turns, and one more for each of the three that were called back. */
export async function expectRunOnce(
  stack: Seen,
  root: SubAgentRecord,
  { claimsMayBeLost = false } = {},
): Promise<void> {
  for (const { id } of await untilEnded(stack, root)) expectNoRepeats(await stack.transcript(id));
  const states = rows<{ n: number; state: string }>(
    stack.home,
    `SELECT r.state, count(*) AS n FROM runs r JOIN subagent_sessions s ON s.id = r.invocation_id
     WHERE s.root_session_id = ? GROUP BY r.state`,
    root.sessionKey,
  );
  // A claim whose answer went astray is given back and made again: no program was started for it.
  const counted = states.filter(({ state }) => !(claimsMayBeLost && state === 'lost'));
  expect(counted).toEqual([{ state: 'ended', n: 11 }]);
}

/** After the loss of agents that may not be repeated: everything has ended, and says how. */
export async function expectTruthfulTree(stack: Seen, root: SubAgentRecord): Promise<void> {
  const items = await untilEnded(stack, root);
  expect(items.find(({ id }) => id === root.id)?.status).toBe('failed');
  for (const { status, errorCode } of items) {
    if (status !== 'completed') expect(['outcome_unknown', 'parent_ended']).toContain(errorCode);
  }
  await expectToldOnce(stack, items);
}

async function expectToldOnce({ home, transcript }: Seen, items: SubAgentRecord[]): Promise<void> {
  const byTitle = new Map(items.map((record) => [record.title, record]));
  for (const [parent, child] of [
    ['root', 'a'],
    ['a', 'a1'],
    ['b', 'b1'],
  ]) {
    const callbackId = byTitle.get(child!)!.id.replace('sub_', 'cb_');
    const turns = await transcript(byTitle.get(parent!)!.id);
    const told = turns.filter(({ role, text }) => role === 'callback' && text.includes(callbackId));
    const [mail] = rows<{ state: string }>(
      home,
      'SELECT state FROM mailbox WHERE id = ?',
      callbackId,
    );
    // What nobody was left to read is kept for the session and says so.
    if (mail!.state === 'undelivered') expect(told.length).toBeLessThanOrEqual(1);
    else expect([mail!.state, told.length]).toEqual(['delivered', 1]);
  }
}

export function expectNoRepeats(turns: Turn[]): void {
  const late = turns.filter((turn) => turn.late);
  expect(late).toEqual([]);
  const said = turns.map(({ role, text, runNo }) => `${role} ${runNo} ${text}`);
  expect(said.filter((line, index) => said.indexOf(line) !== index)).toEqual([]);
}
