/** What one more turn costs as a store grows: time, bytes of log with those of the index, and flushes. */
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  fdatasyncSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import BetterSqlite3 from 'better-sqlite3';
import { createSearcher } from '../../search/searcher.ts';
import { openStore, type Store } from '../../store/index.ts';
import { registerSession } from '../../store/sessions.ts';
import { appendTurn, appendTurns } from '../../store/turns.ts';
import { alternate, timed } from '../alternate.ts';
import { openDiskFloor } from '../disk-floor.ts';
import { note, plainFigure, ratioFigure, type Figure } from '../figure.ts';
import type { Row } from '../row.ts';
import { createTalk, type Talk } from '../talk.ts';

export const hooksRow: Row = {
  name: 'hooks',
  async measure({ quick }) {
    const folder = mkdtempSync(join(tmpdir(), 'offshoot-bench-hooks-'));
    try {
      return [
        ...(await appending(folder, quick ? 20_000 : 1_000_000, quick ? 20 : 1000)),
        flushes(quick ? 200 : 2000),
      ];
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function appending(folder: string, turns: number, rounds: number): Promise<Figure[]> {
  let small = await roomOf(folder, 'small', SMALL_TURNS);
  let other = await roomOf(folder, 'other', SMALL_TURNS);
  const large = await roomOf(folder, 'large', turns);
  const disk = openDiskFloor(folder);
  const setting = { rounds, warmUp: Math.ceil(rounds / 10) };
  const renew = async (room: Room) => {
    const grown = room.store.db.get<{ n: number }>('SELECT last_seq AS n FROM sessions')!.n;
    if (grown < GROWN_TURNS) return room;
    await room.store.close();
    return roomOf(folder, `${room.name} again`, SMALL_TURNS);
  };
  const stayingSmall = async () => {
    small = await renew(small);
    other = await renew(other);
  };
  const beside = (ours: () => Promise<number>, floor: () => Promise<number>) =>
    alternate(setting, ours, floor, stayingSmall);
  const toLarge = () => timedAppend(large);
  const toSmall = () => timedAppend(small);
  const grown = await beside(toLarge, toSmall);
  const alike = await beside(() => timedAppend(other), toSmall);
  const flushed = await beside(toLarge, () => timedInTurn(async () => disk.flush()));
  disk.close();
  await other.store.close();
  const figures = [
    ratioFigure(`append a turn: at ${turns} turns / at 10 kB`, grown, { atMost: 1.2 }),
    // The same twice: as far as it is from 1, nothing can be said of the line above.
    ratioFigure('  control: at 10 kB / at 10 kB', alike, null),
    ratioFigure('append a turn / 8 kB overwrite and fdatasync', flushed, { atMost: 1.5 }),
  ];
  for (const [room, size] of [
    [small, '10 kB'],
    [large, `${turns} turns`],
  ] as const) {
    const bytes = await logBytesOf(room);
    figures.push(plainFigure(`WAL of one turn at ${size}, with the index's`, bytes, 'B', 20_000));
    await room.store.close();
  }
  return figures;
}

/** Some 10 kB. One that has grown to ten times that is of another size, and is begun anew. */
const SMALL_TURNS = 10;
const GROWN_TURNS = 100;

interface Room {
  name: string;
  store: Store;
  file: string;
  sessionId: number;
  talk: Talk;
}

async function roomOf(folder: string, name: string, turns: number): Promise<Room> {
  const file = join(folder, `${name}.db`);
  const store = openStore(file);
  const talk = createTalk(21);
  const session = { agentId: 'default', sessionKey: 's1', harness: 'claude-code' };
  const { id } = await store.write((tx) =>
    registerSession(tx, { ...session, project: null, title: null }),
  );
  for (let made = 0; made < turns; made += 10_000) {
    const some = Array.from({ length: Math.min(10_000, turns - made) }, () => ({
      role: 'user' as const,
      text: talk.turn(1),
    }));
    await store.write((tx) => appendTurns(tx, id, some));
  }
  beginLog(file);
  return { name, store, file, sessionId: id, talk };
}

/** More than is written before the log begins anew. */
const LOG_BYTES = 64 * 1024 * 1024;

/**
 * All logs are files of one size, written over from their beginning: that of a new store grows with each turn, and
 * costs it up to twice as much. What is rolled back leaves nothing but the room that it took.
 */
function beginLog(file: string): void {
  const db = new BetterSqlite3(file);
  db.pragma('wal_checkpoint(TRUNCATE)');
  // So little that SQLite has to put pages into the log before there is a commit.
  db.pragma('cache_size = 10');
  db.exec('BEGIN; CREATE TABLE padding (bytes BLOB)');
  db.prepare('INSERT INTO padding VALUES (zeroblob(?))').run(LOG_BYTES);
  db.exec('ROLLBACK');
  db.close();
  const log = openSync(`${file}-wal`, 'r+');
  fdatasyncSync(log);
  closeSync(log);
}

const append = ({ store, sessionId, talk }: Room, text = talk.turn(1)) =>
  store.write((tx) => appendTurn(tx, { sessionId, role: 'user', text }));

function timedAppend(room: Room): Promise<number> {
  const text = room.talk.turn(1);
  return timedInTurn(() => append(room, text));
}

/** In a turn of the event loop of its own, as what a request brings is. */
async function timedInTurn(work: () => Promise<unknown>): Promise<number> {
  await nextTurn();
  return timed(work);
}

/** Turns that the index takes together, as `search/follow-turns.ts` tells it of them. */
const TOGETHER = 50;
/** A page that is split costs more than one that is filled, and some groups merge what those before have left. */
const GROUPS = 40;

/** Group by group, as the logs may begin anew between two of them. */
async function logBytesOf(room: Room): Promise<number> {
  const index = `${room.file}-search`;
  const searcher = createSearcher({ database: room.file, index });
  while (searcher.step());
  const release = room.store.holdCheckpoints();
  let bytes = 0;
  const count = async (file: string, work: () => Promise<void>) => {
    const before = framesOf(file);
    await work();
    const after = framesOf(file);
    bytes += after >= before ? after - before : after;
  };
  for (let group = 0; group < GROUPS; group += 1) {
    await count(room.file, async () => {
      for (let n = 0; n < TOGETHER; n += 1) await append(room);
    });
    await count(index, async () => {
      while (searcher.step());
    });
  }
  release();
  searcher.close();
  return Math.round(bytes / (GROUPS * TOGETHER));
}

/** The log begins anew after a checkpoint; how much of the file counts, its shared memory says. */
function framesOf(file: string): number {
  if (statSync(`${file}-wal`, { throwIfNoEntry: false }) === undefined) return 0;
  const frameBytes = 4096 + 24;
  return readFileSync(`${file}-shm`).readUInt32LE(16) * frameBytes;
}

const committer = fileURLToPath(new URL('../bare/commit.js', import.meta.url));

/** Counted from outside, by strace, of a process that commits so often more than another one. */
function flushes(commits: number): Figure {
  const what = 'flushes of the disk for each group of writes';
  const count = (times: number): number | null => {
    const folder = mkdtempSync(join(tmpdir(), 'offshoot-bench-flushes-'));
    const file = join(folder, 'trace');
    const trace = ['-f', '-o', file, '-e', 'trace=fsync,fdatasync,sync_file_range'];
    try {
      const args = [process.execPath, committer, join(folder, 'main.db'), String(times)];
      const { status, error } = spawnSync('strace', [...trace, ...args], { stdio: 'ignore' });
      if (error !== undefined || status !== 0) return null;
      return readFileSync(file, 'utf8').match(/\b(fsync|fdatasync)\(/g)?.length ?? 0;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };
  const [many, none] = [count(commits), count(0)];
  if (many === null || none === null) return note(what, 'not counted: there is no strace here');
  return plainFigure(`${what}, checkpoints included`, (many - none) / commits, '', 1.05);
}
