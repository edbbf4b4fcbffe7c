/** What the command line writes on a disk that takes only a part of it: tmpfs, which takes root. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect } from '@jest/globals';
import { runHook } from '../../cli/hook/run-hook.ts';
import { answerJson, withFakeServer } from '../client/fake-server.ts';
import { openDisk, testOnDisks } from '../e2e/small-disk.ts';
import { cli } from './cli-harness.ts';

const onDisk = testOnDisks('what the command line writes on a full disk');
const tooMuch = 'x'.repeat(2 * 1024 * 1024);

onDisk('a hook for which there is room in part is not said to be kept, and is not', () =>
  withDisk(async (home) => {
    const payload = JSON.stringify({ session_id: 's', prompt: tooMuch });
    const told = await runHook({
      args: ['UserPromptSubmit', '--harness', 'claude-code'],
      stdin: Readable.from([Buffer.from(payload)]),
      environment: { home: null, url: null, token: null, noHooks: null },
      home,
      now: Date.now,
      signal: new AbortController().signal,
    });
    expect(told.err).toMatch(/^offshoot hook: no server is running; not kept: ENOSPC.*\n$/);
    expect(readdirSync(join(home, 'spool', 'hooks'))).toEqual([]);
  }),
);

onDisk('an export for which there is room in part is refused, and leaves no half file', () =>
  withDisk((folder) =>
    withFakeServer(
      (_, response) => answerJson(response, { jsonl: `{}\n"${tooMuch}"\n`, nextAfter: null }),
      async ({ url }) => {
        const file = join(folder, 's1.jsonl');
        const run = await cli(['export', 's1', '-o', file], { url });
        expect(run.exitCode).toBe(5);
        expect(run.err).toContain(`${file} was not written: ENOSPC`);
        expect(readdirSync(folder)).toEqual([]);
      },
    ),
  ),
);

async function withDisk(use: (folder: string) => Promise<void>): Promise<void> {
  const disk = openDisk(1);
  try {
    await use(disk.folder);
  } finally {
    disk.remove();
  }
}
