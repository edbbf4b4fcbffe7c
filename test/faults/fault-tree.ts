/** A family of three levels in all modes below an external session, and what is true of it in the end. */
import { expect } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SubAgentRecord } from '../../contract/records.ts';
import { isFinal, type ExecutionMode } from '../../contract/words.ts';
import { untilFile } from '../e2e/agents.ts';
import { rows } from '../e2e/rows.ts';
import type { FaultStack } from './fault-stack.ts';

interface Member {
  title: string;
  mode: ExecutionMode;
  runnerId: 'node' | 'node-again' | 'leaf' | 'leaf-again';
  /** What a leaf does before it answers: shell. */
  work: string;
  children: Member[];
}

const member = (
  title: string,
  mode: ExecutionMode,
  runnerId: Member['runnerId'],
  work: string,
  children: Member[] = [],
): Member => ({ title, mode, runnerId, work, children });

/** Its root is busy until `b` has ended, which it does not before its root stands still: `d` and `a` wait. */
export const mixedFamily = member('root', 'ASYNC_CALLBACK', 'node-again', '', [
  member('d', 'ASYNC_CALLBACK', 'leaf', ':'),
  member('a', 'ASYNC_CALLBACK', 'node-again', '', [
    member('a1', 'ASYNC_CALLBACK', 'leaf', 'sleep 0.3'),
    member('a2', 'SYNC', 'leaf-again', 'sleep 0.1'),
  ]),
  member('b', 'ASYNC_POLL', 'node', '', [
    member('b1', 'ASYNC_CALLBACK', 'leaf-again', `${untilFile('waiting')}; sleep 0.3`),
  ]),
  member('c', 'SYNC', 'node-again', '', [member('c1', 'SYNC', 'leaf', 'sleep 0.2')]),
]);

/** It does not end by itself; `d` has, and is queued behind its busy parent. */
export const endlessFamily = member('root', 'ASYNC_CALLBACK', 'node-again', '', [
  member('d', 'ASYNC_CALLBACK', 'leaf', ':'),
  member('a', 'ASYNC_CALLBACK', 'node-again', '', [
    member('a1', 'ASYNC_CALLBACK', 'leaf', 'sleep 60'),
  ]),
  member('c', 'SYNC', 'node', '', [member('c1', 'SYNC', 'leaf-again', 'sleep 60')]),
]);

export interface Tree {
  family: Member;
  /** The external session that asked for it. */
  sessionKey: string;
  root: SubAgentRecord;
}

type Request = Pick<Member, 'title' | 'runnerId'> & { prompt: string };

/** Each tree has a session of its own, registered before anything can be killed. */
export async function startTree(
  { client }: FaultStack,
  sessionKey: string,
  family: Member,
): Promise<Tree> {
  const root = await client.call('runSubagent', {
    ...requestOf(family),
    executionMode: 'ASYNC_CALLBACK',
    parentSessionId: sessionKey,
    context: { env: { FAMILY_SECRET: 'kept on disk' } },
  });
  return { family, sessionKey, root };
}

function requestOf({ title, runnerId, work, children }: Member): Request {
  if (runnerId.startsWith('leaf')) {
    const note = 'echo "$OFFSHOOT_INVOCATION_ID $OFFSHOOT_TURN" >> launches';
    return { title, runnerId, prompt: `${note}; ${work}; echo ${title}` };
  }
  const asked = children.map((child) => ({ mode: child.mode, ...requestOf(child) }));
  const task = { says: title, children: asked };
  return { title, runnerId, prompt: JSON.stringify(task) };
}

export async function membersOf(
  { impatient }: FaultStack,
  { sessionKey }: Pick<Tree, 'sessionKey'>,
): Promise<SubAgentRecord[]> {
  const { items } = await impatient.call('listSubagents', { rootSessionId: sessionKey });
  return items;
}

export const allEnded = (members: SubAgentRecord[]) =>
  members.length > 0 && members.every(({ status }) => isFinal(status));

/** What may have become of a member besides a good end. */
export interface Excuses {
  /** What runs and may not be repeated ends as `outcome_unknown` when its host dies, and takes its children along. */
  hostDeaths: number;
  /** The root was cancelled. */
  cancelled: boolean;
}

export async function expectTruth(
  stack: FaultStack,
  tree: Tree,
  members: SubAgentRecord[],
  excuses: Excuses,
): Promise<void> {
  const byTitle = new Map(members.map((one) => [one.title, one]));
  expect(byTitle.size).toBe(members.length);
  await expectMember(stack, tree.family, null, byTitle, excuses);
  expectToldOnce(stack, tree, members);
  expectLaunches(tree, members, excuses);
}

async function expectMember(
  stack: FaultStack,
  { title, runnerId, children }: Member,
  owner: SubAgentRecord | null,
  byTitle: Map<string | null, SubAgentRecord>,
  excuses: Excuses,
): Promise<void> {
  const record = byTitle.get(title);
  if (record === undefined) throw new Error(`there is no ${title}`);
  if (record.status === 'completed') {
    const missing = children.filter((child) => !byTitle.has(child.title));
    expect([title, missing]).toEqual([title, []]);
    await expectWords(stack, record, children, byTitle);
  } else {
    const hasLostHost = excuses.hostDeaths > 0;
    const isLost = hasLostHost && !runnerId.endsWith('again') && (await wasLost(stack, record));
    const isBereft = hasLostHost && owner !== null && owner.status !== 'completed';
    const codes = [
      ...(isLost ? ['outcome_unknown'] : []),
      ...(isBereft ? ['parent_ended'] : []),
      ...(excuses.cancelled ? ['cancelled'] : []),
    ];
    // Why stands in the report of a failure.
    const why = record.error;
    expect([title, why, codes]).toEqual([title, why, expect.arrayContaining([record.errorCode])]);
  }
  // Whoever did not end well may have ended before it asked for all of its children.
  const present = children.filter((child) => byTitle.has(child.title));
  for (const child of present) await expectMember(stack, child, record, byTitle, excuses);
}

/** A run of it was under way when its host died: what had none cannot have an unknown outcome. */
async function wasLost(stack: FaultStack, { id }: SubAgentRecord): Promise<boolean> {
  const turns = await stack.transcript(id);
  return turns.some(({ role, text }) => role === 'mark' && /^run \d+ lost: /.test(text));
}

/** All that its turns have answered: each child's end once, and its own word. */
async function expectWords(
  stack: FaultStack,
  record: SubAgentRecord,
  children: Member[],
  byTitle: Map<string | null, SubAgentRecord>,
): Promise<void> {
  const answers = (await stack.transcript(record.id)).filter(({ role }) => role === 'assistant');
  const wanted = children.map(({ title }) => tell(byTitle.get(title)!));
  const said = answers.flatMap(({ text }) => text.trim().split('\n'));
  expect(said.toSorted()).toEqual([...wanted, record.title].toSorted());
  expect(record.result?.content).toBe(answers.at(-1)!.text);
}

function tell({ title, status, errorCode, result }: SubAgentRecord): string {
  if (status !== 'completed') return `${title} ${status} (${errorCode})`;
  return `${title} completed: ${result!.content.trim().replaceAll('\n', ' | ')}`;
}

/** One turn for each callback, and none is left between queued and read. */
function expectToldOnce(
  { home }: FaultStack,
  { sessionKey }: Tree,
  members: SubAgentRecord[],
): void {
  const mail = rows<{ id: string; state: string; turns: number; key: string }>(
    home,
    `SELECT m.id, m.state, s.session_key AS key,
            (SELECT count(*) FROM turns t
             WHERE t.session_id = m.session_id AND t.role = 'callback'
               AND instr(t.text, 'id="' || m.id || '"') > 0) AS turns
     FROM mailbox m JOIN sessions s ON s.id = m.session_id
     JOIN subagent_sessions i ON i.id = m.invocation_id WHERE i.root_session_id = ?`,
    sessionKey,
  );
  const wanted = members.filter(({ executionMode }) => executionMode === 'ASYNC_CALLBACK');
  expect(mail.map(({ id }) => id).toSorted()).toEqual(
    wanted.map(({ id }) => id.replace('sub_', 'cb_')).toSorted(),
  );
  const parents = new Map(members.map((one) => [one.sessionKey, one]));
  for (const { state, turns, key } of mail) {
    const isParentWell = key === sessionKey || parents.get(key)?.status === 'completed';
    // What nobody was left to read is kept for the session and says so; a run may have had it in hand.
    if (isParentWell) expect([key, state, turns]).toEqual([key, 'delivered', 1]);
    else {
      expect(['delivered', 'undelivered']).toContain(state);
      expect(turns).toBeLessThanOrEqual(1);
    }
  }
}

/** A program that may not be repeated was started once for a turn; no other more often than hosts died. */
function expectLaunches({ root }: Tree, members: SubAgentRecord[], { hostDeaths }: Excuses): void {
  const lines = readFileSync(join(root.context.workspacePath, 'launches'), 'utf8')
    .trim()
    .split('\n');
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  for (const { id, runnerId, title, status } of members) {
    const starts = [...counts].filter(([line]) => line.startsWith(`${id} `));
    if (status === 'completed') expect([title, starts.length > 0]).toEqual([title, true]);
    const most = runnerId.endsWith('again') ? 1 + hostDeaths : 1;
    for (const [line, count] of starts) {
      expect([title, line, count <= most, count]).toEqual([title, line, true, count]);
    }
  }
}
