/**
 * Hooks that no server has taken yet: a folder with one file for each, whose names tell their order. Whoever sends them
 * holds the folder's lock meanwhile. Each carries its own time and its own idempotency key, so that one that is sent
 * twice, because its sender died before it could remove the file, adds nothing.
 */
import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { limits } from '../contract/limits.ts';
import type { HookServer } from './post-hook.ts';

export interface SpooledHook {
  /** Of `POST /api/hooks/<event>`. */
  event: string;
  request: Readonly<Record<string, unknown>>;
}

export interface HookSpool {
  /** Held while hooks are sent, by `engine/file-lock.ts`. */
  readonly lockFile: string;
  /** Oldest first. */
  names(): string[];
  /** `null`: it was sent by somebody else, or is no hook any more and was set aside. */
  read(name: string): SpooledHook | null;
  /** False where the spool is full. Throws when the disk does; then nothing is left of it. */
  add(hook: SpooledHook): boolean;
  remove(name: string): void;
  /** What the spool says it is for; `null` where it says nothing. */
  server(): HookServer | null;
  /** Where nothing waits any more, no token is kept either. */
  forget(): void;
  /** Hooks that nobody will take stay, and wait no longer. */
  setAside(names: readonly string[]): void;
  /** Beside it, with a limit of its own: what waits until somebody has settled why it is refused. It keeps nothing else back. */
  unsettled(): HookSpool;
}

/** Microseconds of its time, process and bytes; so neither order nor size asks for a look into the file. */
const namePattern = /^\d{16}-[0-9a-f]{8}-(\d+)\.json$/;

/** A spool that is not for the home's own server says which server and token its hooks are for. */
export function openHookSpool(folder: string, server: HookServer | null = null): HookSpool {
  const names = () => namesIn(folder).filter((name) => namePattern.test(name));
  return {
    lockFile: join(folder, 'lock'),
    names: () => names().toSorted(),
    read: (name) => readHook(join(folder, name)),
    add(hook) {
      const text = JSON.stringify(hook);
      const bytes = Buffer.byteLength(text);
      if (!hasRoom(names(), bytes)) return false;
      writeWhole(folder, nameOf(bytes), text);
      // Afterwards: whoever has sent all removes it, and puts it back if this hook came meanwhile.
      if (server !== null) writeServer(folder, server);
      return true;
    },
    remove: (name) => fs.rmSync(join(folder, name), { force: true }),
    server: () => readServer(folder),
    forget() {
      const known = readServer(folder);
      if (known === null) return;
      fs.rmSync(join(folder, serverFile), { force: true });
      if (names().length > 0) writeServer(folder, known);
    },
    setAside(refused) {
      for (const name of refused) renameIfThere(join(folder, name), `${join(folder, name)}.locked`);
    },
    unsettled: () => openHookSpool(join(folder, 'unsettled'), server ?? readServer(folder)),
  };
}

const serverFile = 'server';

function renameIfThere(path: string, to: string): void {
  try {
    fs.renameSync(path, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function writeServer(folder: string, server: HookServer): void {
  if (!fs.existsSync(join(folder, serverFile)))
    writeWhole(folder, serverFile, JSON.stringify(server));
}

function readServer(folder: string): HookServer | null {
  try {
    const { url, token } = JSON.parse(
      fs.readFileSync(join(folder, serverFile), 'utf8'),
    ) as HookServer;
    return { url, token };
  } catch {
    // Kept before spools said it, or damaged: the next hook with the same token sends it.
    return null;
  }
}

function namesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function hasRoom(names: readonly string[], bytes: number): boolean {
  const held = names.reduce((sum, name) => sum + Number(namePattern.exec(name)?.[1] ?? 0), 0);
  return names.length < limits.hookSpoolFilesMax && held + bytes <= limits.hookSpoolBytesMax;
}

function nameOf(bytes: number): string {
  const microseconds = Math.round((performance.timeOrigin + performance.now()) * 1000);
  return `${String(microseconds).padStart(16, '0')}-${randomUUID().slice(0, 8)}-${bytes}.json`;
}

/** On the disk before it has its name: a hook that is said to be kept survives a crash of the machine. */
function writeWhole(folder: string, name: string, text: string): void {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const temporary = join(folder, `${name}.${randomUUID().slice(0, 8)}.part`);
  try {
    // All of it: one write takes as much as there is room for, and says of the rest only that it was not taken.
    fs.writeFileSync(temporary, text, { flag: 'wx', mode: 0o600, flush: true });
    fs.renameSync(temporary, join(folder, name));
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
}

function readHook(path: string): SpooledHook | null {
  try {
    const { event, request } = JSON.parse(fs.readFileSync(path, 'utf8')) as Partial<SpooledHook>;
    if (typeof event === 'string' && typeof request === 'object') return { event, request };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    if (!(error instanceof SyntaxError)) throw error;
  }
  // Only a damaged disk or somebody's hand makes it so. It must not keep back those behind it, nor be lost.
  fs.renameSync(path, `${path}.unreadable`);
  return null;
}
