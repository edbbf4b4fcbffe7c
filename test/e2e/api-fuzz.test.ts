/**
 * The HTTP API against its own OpenAPI document: good requests and bad ones, made by schemathesis from
 * nothing but the document. A runner host that ends everything at once stands behind a real server.
 */
import { beforeAll, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { operations } from '../../contract/operations.ts';
import { getSchemathesis } from '../../scripts/schemathesis.mjs';
import { withFolder } from '../support/folder.ts';
import { withInstantHost } from './instant-host.ts';
import { withLoneServer, type LoneServer } from './lone-server.ts';

const besides = (file: string) => fileURLToPath(new URL(`../fuzz/${file}`, import.meta.url));

/** The same requests in each run; another seed finds other things, and stands in the output. */
const SEED = 20260801;
/**
 * Per operation and phase. All phases together take about a minute on two cores. There is no bound in
 * time but that of the test: with one of its own it would cut what is left, and call that well.
 */
const EXAMPLES = 10;
const phases = ['Examples', 'Coverage', 'Fuzzing', 'Stateful'];

const options = [
  ...['--seed', String(SEED), '--max-examples', String(EXAMPLES)],
  '--request-timeout',
  '15',
  // Not that good data is always taken: which runners, sessions and folders there are says no schema.
  ...['--checks', 'all', '--exclude-checks', 'positive_data_acceptance'],
  ...['--continue-on-failure', '--no-shrink', '--no-color', '--suppress-health-check', 'all'],
];

// Before the clock of the test runs: the first time it is installed.
let st = '';
beforeAll(async () => void (st = await getSchemathesis()), 600_000);

async function fuzz({ url, token }: LoneServer): Promise<{ code: number | null; output: string }> {
  const args = [
    ...['--config-file', besides('schemathesis.toml')],
    'run',
    `${url}/api/openapi.json`,
    '-H',
    `Authorization: Bearer ${token}`,
    ...options,
  ];
  // It leaves notes in its folder.
  return withFolder(async (cwd) => {
    const child = spawn(st, args, {
      cwd,
      env: { ...process.env, SCHEMATHESIS_HOOKS: besides('hooks.py') },
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => void (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => void (output += chunk.toString()));
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    return { code, output };
  });
}

test('whatever it is asked, the API answers as its own document says, and never fails inside', async () => {
  await withLoneServer({}, async (server) => {
    await withInstantHost(server, async () => {
      const { code, output } = await fuzz(server);
      if (code !== 0) console.error(output);
      // All operations, and the two streams of events.
      const all = Object.keys(operations).length + 2;
      expect(output).toContain(`${all} selected / ${all} total`);
      for (const phase of phases) expect(output).toContain(`✅ ${phase}\n`);
      expect(output).toContain(`Tested: ${all}\n`);
      expect(code).toBe(0);
    });
  });
}, 300_000);
