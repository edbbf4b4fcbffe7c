/** Values of `context.env`: one 0600 file per open invocation, gone when it is final. */
import { lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SecretsBox } from '../operations/index.ts';

export function createSecretsBox(folder: string): SecretsBox & { list(): string[] } {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = (id: string) => join(folder, `${id}.json`);
  // Most have none, and a look takes a fraction of what asking a thread of the pool does.
  const isThere = (id: string) => lstatSync(file(id), { throwIfNoEntry: false }) !== undefined;
  return {
    async put(id, env) {
      await writeFile(file(id), JSON.stringify(env), { mode: 0o600, flush: true });
      await flushFolder(folder);
    },
    async get(id) {
      if (!isThere(id)) return null;
      try {
        return JSON.parse(await readFile(file(id), 'utf8')) as Record<string, string>;
      } catch (error) {
        // Gone, or damaged: the values are lost. Whatever else keeps us from reading may pass.
        const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT';
        if (isGone || error instanceof SyntaxError) return null;
        throw error;
      }
    },
    async remove(id) {
      if (isThere(id)) await rm(file(id), { force: true });
    },
    list: () => readdirSync(folder).map((name) => name.replace(/\.json$/, '')),
  };
}

/** A power cut must not take a file's name away when what needs the file has been accepted. */
async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
