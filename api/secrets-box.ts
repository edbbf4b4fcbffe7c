/** Values of `context.env`: one 0600 file per open invocation, gone when it is final. */
import { lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../contract/errors.ts';
import type { SecretsBox } from '../operations/index.ts';

export function createSecretsBox(folder: string): SecretsBox & { list(): string[] } {
  makeFolder(folder);
  const file = (id: string) => join(folder, `${id}.json`);
  // Most have none, and a look takes a fraction of what asking a thread of the pool does.
  const isThere = (id: string) => lstatSync(file(id), { throwIfNoEntry: false }) !== undefined;
  return {
    async put(id, env) {
      // It may have been deleted since, or something else may lie there now.
      makeFolder(folder);
      await writeFile(file(id), JSON.stringify(env), { mode: 0o600, flush: true });
      await flushFolder(folder);
    },
    async get(id) {
      try {
        if (!isThere(id)) return null;
        return JSON.parse(await readFile(file(id), 'utf8')) as Record<string, string>;
      } catch (error) {
        // Gone, or damaged: the values are lost. Whatever else keeps us from reading may pass.
        const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT';
        if (isGone || error instanceof SyntaxError) return null;
        throw inTheWay(folder, error) ?? error;
      }
    },
    async remove(id) {
      try {
        if (isThere(id)) await rm(file(id), { force: true });
      } catch (error) {
        // In what is no folder there is nothing to be removed; who has put it there is told by the others.
        if (inTheWay(folder, error) === null) throw error;
      }
    },
    list: () => readdirSync(folder).map((name) => name.replace(/\.json$/, '')),
  };
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw inTheWay(folder, error) ?? error;
  }
}

/** Null for everything else. */
function inTheWay(folder: string, cause: unknown): AppError | null {
  if (!['EEXIST', 'ENOTDIR'].includes((cause as NodeJS.ErrnoException).code ?? '')) return null;
  return new AppError('home_unusable', `${folder} is no folder`, {
    cause,
    hint: 'The values of context.env are kept in it. Put the folder back, or move away what lies there, and ask again.',
  });
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
