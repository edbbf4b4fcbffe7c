/**
 * Keeps the demo's workflow histories for test/replay: `node scripts/record-histories.mjs <release>`.
 * Run once per release and never over what an earlier one recorded: old histories must go on replaying.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { withKeptDemo } from './kept-demo.mjs';

const [release] = process.argv.slice(2);
if (!release) throw new Error('name the release, for example: 0.1.0');
const root = fileURLToPath(new URL('..', import.meta.url));
const folder = fileURLToPath(new URL(`../test/replay/histories/${release}`, import.meta.url));
if (existsSync(folder))
  throw new Error(`${folder} is there already: histories are kept, not replaced`);

await withKeptDemo(async ({ items, temporal }) => {
  const connection = await Connection.connect({ address: temporal.address });
  const client = new Client({ connection, namespace: temporal.namespace });
  mkdirSync(folder, { recursive: true });
  for (const { title, workflowId } of items) {
    const history = await client.workflow.getHandle(workflowId).fetchHistory();
    const name = title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
    // Stack traces name the folder this was recorded in, which is nobody else's business.
    writeFileSync(join(folder, `${name}.json`), historyToJSON(history).replaceAll(root, ''));
  }
  await connection.close();
});
