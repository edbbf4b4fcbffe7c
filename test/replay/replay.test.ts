/** Histories of earlier releases still replay: no open workflow is broken by a change of the code. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from '@jest/globals';
import { Worker } from '@temporalio/worker';
import { installSdkRuntime } from '../../worker/sdk-runtime.ts';

const folder = fileURLToPath(new URL('./histories', import.meta.url));
const codePath = fileURLToPath(new URL('../../dist/workflow-bundle.js', import.meta.url));
const files = readdirSync(folder).flatMap((release) =>
  readdirSync(join(folder, release)).map((name) => `${release}/${name}`),
);

beforeAll(() => installSdkRuntime(() => {}));

test('there are recorded histories', () => {
  expect(files.length).toBeGreaterThan(0);
});

test.each(files)('%s replays with the present workflows', async (file) => {
  const history: unknown = JSON.parse(readFileSync(join(folder, file), 'utf8'));
  await Worker.runReplayHistory({ workflowBundle: { codePath } }, history);
});
