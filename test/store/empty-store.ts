/**
 * A database with every migration and nothing in it, as the first start of a server leaves one. It is made
 * once in a run of the tests: that takes 30 files of SQL with a flush each, a copy of it one write.
 */
import { copyFileSync, existsSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../../store/index.ts';

export async function placeEmptyStore(file: string): Promise<void> {
  copyFileSync(await emptyStore(), file);
}

/** Below the temporary folder of the run, which all its workers share. */
async function emptyStore(): Promise<string> {
  const shared = join(tmpdir(), 'empty-store.db');
  if (existsSync(shared)) return shared;
  const own = `${shared}.${process.pid}`;
  const store = openStore(own, { checkpoints: false });
  // Each home gets its own when it is opened.
  store.db.run(`DELETE FROM meta WHERE key = 'home_id'`);
  await store.close();
  renameSync(own, shared);
  return shared;
}
