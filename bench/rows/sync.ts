/**
 * SYNC `echo`, from the request to its answer, as a root and as a child. Beside it a bare workflow of the
 * same shape: a local activity, a regular one on a second queue that does the same spawn, a local activity.
 *
 * How the bounds are read: against the bare program's exit plus one commit (the earliest at which anybody
 * could answer durably) the ratio is reported; against the bare workflow's end it is at most 0.8 as a root
 * and 1.1 as a child, because we answer from the finishing transaction and not from the workflow's end.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { SubAgentRecord } from '../../contract/records.ts';
import { openDatabase } from '../../store/database.ts';
import { alternate, timed } from '../alternate.ts';
import { sharedClock, type Spawned } from '../bare/activities.ts';
import { echoProgram, withBare, type Bare } from '../bare/start.ts';
import { ratioFigure, type Figure } from '../figure.ts';
import type { Row } from '../row.ts';
import { startHolder, untilClosed, withStack, type Stack } from '../stack.ts';

export const syncRow: Row = {
  name: 'sync',
  measure: ({ quick, bundle }) =>
    withStack({}, (stack) =>
      withBare(stack, { bundle, slots: 4 }, async (bare) => {
        const rounds = quick ? { rounds: 10, warmUp: 3 } : { rounds: 200, warmUp: 30 };
        const commit = committer(stack);
        const bareRoot = async () => floorOf(await bareAsRoot(bare), commit);
        const root = await alternate(rounds, () => ours(stack, {}), bareRoot);

        const parent = await startHolder(stack);
        const owner = await bare.start('bareOwner');
        const asChild = () => ours(stack, { parentSessionId: parent.sessionKey });
        const bareChild = async () => floorOf(await bareAsChild(stack, bare, owner), commit);
        const child = await alternate(rounds, asChild, bareChild);
        return [...figures('root', root, 0.8), ...figures('child', child, 1.1)];
      }),
    ),
};

interface Floor {
  exitAndCommit: number;
  end: number;
}

function figures(
  as: string,
  { ours: mine, floor }: { ours: number[]; floor: Floor[] },
  atMost: number,
): Figure[] {
  const what = `SYNC echo as a ${as}`;
  const toExit = floor.map(({ exitAndCommit }) => exitAndCommit);
  const toEnd = floor.map(({ end }) => end);
  return [
    ratioFigure(
      `${what} / bare to the program's exit + commit`,
      { ours: mine, floor: toExit },
      null,
    ),
    ratioFigure(`${what} / bare to the workflow's end`, { ours: mine, floor: toEnd }, { atMost }),
  ];
}

async function ours(stack: Stack, asker: { parentSessionId?: string }): Promise<number> {
  let record: SubAgentRecord | null = null;
  const ms = await timed(async () => {
    record = await stack.client.call('runSubagent', {
      ...{ runnerId: 'echo', prompt: 'x', executionMode: 'SYNC' as const, ...asker },
    });
  });
  await untilClosed(stack, record!);
  return ms;
}

interface Timed {
  begin: number;
  spawned: Spawned;
  end: number;
}

async function bareAsRoot(bare: Bare): Promise<Timed> {
  const begin = sharedClock();
  const spawned = await bare.run(echoProgram);
  return { begin, spawned, end: sharedClock() };
}

async function bareAsChild(
  { engine }: Stack,
  bare: Bare,
  owner: Awaited<ReturnType<Bare['start']>>,
): Promise<Timed> {
  const id = `bare/${randomUUID()}`;
  const begun = bare.begun(id);
  const begin = sharedClock();
  await owner.signal('go', [id], echoProgram);
  await begun;
  const spawned = (await engine.workflow.getHandle(id).result()) as Spawned;
  return { begin, spawned, end: sharedClock() };
}

async function floorOf({ begin, spawned, end }: Timed, commit: () => number): Promise<Floor> {
  return { exitAndCommit: spawned.exitedAt - begin + commit(), end: end - begin };
}

/** One row, flushed to the disk as the store flushes its own. */
function committer({ home }: Stack): () => number {
  const db = openDatabase(join(home, 'floor.db'));
  db.exec('CREATE TABLE floor (text TEXT)');
  return () => {
    const begin = performance.now();
    db.run('INSERT INTO floor VALUES (:text)', { text: 'x'.repeat(200) });
    return performance.now() - begin;
  };
}
