/** A workflow that asked before its run began goes on to show how that is, as long as the run lasts. */
import { expect, test } from '@jest/globals';
import { until } from '../e2e/stack.ts';
import { stepsIn } from '../support/history-steps.ts';
import { withHome, type Home, type Program } from './with-home.ts';

async function detailsOf({ client }: Home, workflowId: string): Promise<string> {
  const told = await client.workflow
    .getHandle(workflowId)
    .query<{ currentDetails: string }>('__temporal_workflow_metadata');
  return told.currentDetails;
}

const stepsOf = async ({ client }: Home, workflowId: string) =>
  stepsIn((await client.workflow.getHandle(workflowId).fetchHistory()).events!);

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

test('a run that is short, and of which nothing more is said, has fourteen events in its history', async () => {
  await withLateRuns(
    async () => 'done',
    async (home) => {
      const steps: number[] = [];
      for (let time = 0; time < 3; time += 1) {
        const { id, workflowId } = await home.start();
        await home.untilBegun(id);
        await home.client.workflow.getHandle(workflowId).result();
        steps.push(await stepsOf(home, workflowId));
      }
      // The best of three: on a busy machine even this one may last, or its worker be taken for hanging.
      expect(Math.min(...steps)).toBeLessThanOrEqual(14);
    },
  );
});
