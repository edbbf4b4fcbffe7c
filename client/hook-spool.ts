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

/** Why a hook does not wait any more: nobody takes its token, a server dies at it, or it is no hook. It ends its file's name. */
export const asideReasons = ['locked', 'deadly', 'unreadable'] as const;
export type AsideReason = (typeof asideReasons)[number];

export interface HookSpool {
  /** Held while hooks are sent, by `engine/file-lock.ts`. */
  readonly lockFile: string;
  /** Oldest first. */
  names(): string[];
  /** `null`: it was sent by somebody else, or is no hook any more and was set aside. */
  read(name: string): SpooledHook | null;
  /** Writes down in its name at how many tries the server has died. Answers that name; `null`: it is gone. */
  count(name: string, deaths: number): string | null;
  /** False where the spool is full. Throws when the disk does; then nothing is left of it. */
  add(hook: SpooledHook): boolean;
  remove(name: string): void;
  /** What the spool says it is for; `null` where it says nothing. */
  server(): HookServer | null;
  /** Where nothing waits any more, no token is kept either. */
  forget(): void;
  /** Hooks that nobody will take stay, under a name that says why, and wait no longer. */
  setAside(names: readonly string[], why: Exclude<AsideReason, 'unreadable'>): void;
  /** Beside it, with a limit of its own: what waits until somebody has settled why it is refused. It keeps nothing else back. */
  unsettled(): HookSpool;
}

/** Microseconds of its time, chance, bytes and deaths; so neither order nor size asks for a look into the file. */
const namePattern = /^(\d{16})-[0-9a-f]{8}-(\d+)(?:\.tried-(\d+))?\.json$/;

/** When it was kept, by the clock of its machine. */
export const keptAt = (name: string): number => Number(namePattern.exec(name)?.[1] ?? 0) / 1000;

/** How often a server has died at it. */
export const deathsAt = (name: string): number => Number(namePattern.exec(name)?.[3] ?? 0);

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
      const waiting = names();
      if (!hasRoom(waiting, bytes)) return false;
      // Before, as a process may be killed in between, and nobody sends what does not say for whom it is.
      if (server !== null) writeServer(folder, server);
      writeWhole(folder, nameOf(bytes, waiting), text);
      // And after: whoever has sent all removes it, and puts it back if this hook came meanwhile.
      if (server !== null) writeServer(folder, server);
      return true;
    },
    count(name, deaths) {
      const counted = name.replace(
        /(\.tried-\d+)?\.json$/,
        deaths > 0 ? `.tried-${deaths}.json` : '.json',
      );
      return renameIfThere(join(folder, name), join(folder, counted)) ? counted : null;
    },
    remove: (name) => fs.rmSync(join(folder, name), { force: true }),
    server: () => readServer(folder),
    forget() {
      const known = readServer(folder);
      if (known === null) return;
      fs.rmSync(join(folder, serverFile), { force: true });
      if (names().length > 0) writeServer(folder, known);
    },
    setAside(aside, why) {
      for (const name of aside) renameIfThere(join(folder, name), `${join(folder, name)}.${why}`);
    },
    unsettled: () => openHookSpool(join(folder, 'unsettled'), server ?? readServer(folder)),
  };
}

const serverFile = 'server';

function renameIfThere(path: string, to: string): boolean {
  try {
    fs.renameSync(path, to);
    return true;
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    return false;
  }
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;

function writeServer(folder: string, server: HookServer): void {
  if (!fs.existsSync(join(folder, serverFile)))
    writeWhole(folder, serverFile, JSON.stringify(server));
}

function readServer(folder: string): HookServer | null {
  try {
    const { url, token } = JSON.parse(readPlain(join(folder, serverFile))) as HookServer;
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
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

function hasRoom(names: readonly string[], bytes: number): boolean {
  const held = names.reduce((sum, name) => sum + Number(namePattern.exec(name)?.[2] ?? 0), 0);
  return names.length < limits.hookSpoolFilesMax && held + bytes <= limits.hookSpoolBytesMax;
}

/** Behind all that waits, also by a clock that was put back since. */
function nameOf(bytes: number, waiting: readonly string[]): string {
  const now = Math.round((performance.timeOrigin + performance.now()) * 1000);
  const newest = Math.max(0, ...waiting.map((name) => Number(namePattern.exec(name)?.[1])));
  const microseconds = Math.max(now, newest + 1);
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
    const { event, request } = JSON.parse(readPlain(path)) as Partial<SpooledHook>;
    if (typeof event === 'string' && typeof request === 'object' && request !== null) {
      return { event, request };
    }
  } catch (error) {
    // It may be read a moment later.
    if (['EMFILE', 'ENFILE', 'ENOMEM'].includes(codeOf(error) ?? '')) throw error;
  }
  // Only a damaged disk or somebody's hand makes it so. It must not keep back those behind it, nor be lost.
  renameIfThere(path, `${path}.unreadable`);
  return null;
}

/** Without waiting: for a pipe in its place it would, until somebody writes into it. */
function readPlain(path: string): string {
  const { O_RDONLY, O_NONBLOCK } = fs.constants;
  const file = fs.openSync(path, O_RDONLY | O_NONBLOCK);
  try {
    const found = fs.fstatSync(file);
    const isPlain = found.isFile() && found.size <= limits.hookSpoolBytesMax;
    if (!isPlain) throw new Error(`${path} is none of ours`);
    return fs.readFileSync(file, 'utf8');
  } finally {
    fs.closeSync(file);
  }
}
