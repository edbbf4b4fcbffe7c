/** Gives the run a mark and a temporary folder of its own, which every process it starts inherits. */
import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

export default function globalSetup(): void {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'offshoot-test-'));
  // Agents get an allow-listed environment without the mark; their paths below this folder tell.
  process.env['TMPDIR'] = folder;
  process.env['OFFSHOOT_TEST_RUN'] = basename(folder);
}
