/** A workflow that asked before its run began goes on to show how that is, as long as the run lasts. */
import { expect, test } from '@jest/globals';
import { until } from '../e2e/stack.ts';
import { withHome, type Home, type Program } from './with-home.ts';

async function detailsOf({ client }: Home, workflowId: string): Promise<string> {
  const told = await client.workflow
    .getHandle(workflowId)
    .query<{ currentDetails: string }>('__temporal_workflow_metadata');
  return told.currentDetails;
}

const lengthOf = async ({ client }: Home, workflowId: string) =>
  (await client.workflow.getHandle(workflowId).fetchHistory()).events!.length;

/** Every run begins only when its workflow has asked. */
async function withLateRuns(play: Program, use: (home: Home) => Promise<void>): Promise<void> {
  let asked: (id: string) => Promise<void> = async () => {};
  const begin = async (home: Home) => {
    asked = home.untilBegun;
    await use(home);
  };
  await withHome(play, begin, { beforeClaim: (id) => asked(id) });
}

test('a run that begins after its workflow asked is shown as running', async () => {
  let open: () => void = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  const play: Program = async () => {
    await opened;
    return 'done';
  };
  await withLateRuns(play, async (home) => {
    const { id, workflowId } = await home.start();
    await home.untilLaunched(id);
    await until(
      () => detailsOf(home, workflowId).catch(String),
      (details) => details.startsWith('**running** since 20'),
    );
    open();
    await until(
      () => detailsOf(home, workflowId),
      (details) => details === '**completed**',
    );
  });
});

test('a short run costs its history nothing for that', async () => {
  await withLateRuns(
    async () => 'done',
    async (home) => {
      const lengths: number[] = [];
      for (let time = 0; time < 3; time += 1) {
        const { id, workflowId } = await home.start();
        await home.untilBegun(id);
        await home.client.workflow.getHandle(workflowId).result();
        lengths.push(await lengthOf(home, workflowId));
      }
      // The best of three: on a machine under load even this one may last, or be taken for hanging.
      expect(Math.min(...lengths)).toBe(14);
    },
  );
});
