/** Programs that wait for the test, and the rest that follows when they may go on. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { subAgentWorkflowId } from '../../contract/names.ts';
import type { SubAgentRecord } from '../../contract/records.ts';
import { isFinal } from '../../contract/words.ts';
import { until } from '../e2e/stack.ts';
import { putFile } from '../support/folder.ts';
import type { Home, Program } from './with-home.ts';

/** Programs stand still until the test lets them go on; a parent's second turn repeats what it was told. */
export function createPrograms() {
  let open: () => void = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  const play: Program = async ({ prompt, turn, workspacePath }) => {
    if (prompt === 'leaf') await opened;
    if (prompt === 'failing') throw new Error('no disk');
    // Its own child is asked for by the test.
    if (prompt === 'parent')
      await until(async () => existsSync(join(workspacePath, askedFile)), Boolean);
    return turn === 1 ? 'done' : `told ${[...prompt.matchAll(/<agent-callback /g)].length}`;
  };
  return { play, open };
}

const askedFile = 'asked';

/** The test has asked for all children of this parent: its first turn may end. */
export function endAsking({ context }: Pick<SubAgentRecord, 'context'>): void {
  putFile(context.workspacePath, askedFile);
}

export async function statusOf(client: Client, id: string): Promise<string> {
  const found = await client.workflow
    .getHandle(id)
    .describe()
    .catch(() => null);
  return found?.status.name ?? 'missing';
}

/** Every invocation of the home has ended, and every workflow with it. */
export async function untilAllOver(home: Home): Promise<void> {
  const rows = () =>
    home.store.db.all<{ id: string; status: string }>('SELECT * FROM subagent_sessions');
  await until(
    async () => rows(),
    (all) => all.every(({ status }) => isFinal(status as never)),
  );
  for (const { id } of rows()) {
    await until(
      () => statusOf(home.client, subAgentWorkflowId(id)),
      (status) => status !== 'RUNNING',
    );
  }
  await until(
    async () => home.count('outbox'),
    (n) => n === 0,
  );
}
