/** What one more turn costs, and one more prompt with its whole transcript, as the session grows. */
import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  fdatasyncSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { takeTranscript } from '../../operations/hooks/take-transcript.ts';
import { openStore, type Store } from '../../store/index.ts';
import { findSession, registerSession } from '../../store/sessions.ts';
import { appendTurn, appendTurns } from '../../store/turns.ts';
import { alternate, timed } from '../alternate.ts';
import { plainFigure, ratioFigure, type Figure } from '../figure.ts';
import type { Row } from '../row.ts';

const TURN_BYTES = 940;

export const hooksRow: Row = {
  name: 'hooks',
  async measure({ quick }) {
    const folder = mkdtempSync(join(tmpdir(), 'offshoot-bench-hooks-'));
    try {
      return [
        ...(await appending(folder, quick ? 20_000 : 1_000_000, quick ? 20 : 1000)),
        ...(await prompting(folder, quick ? 3 : 20)),
      ];
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function appending(folder: string, turns: number, rounds: number): Promise<Figure[]> {
  const small = await storeOf(folder, 'small', 10);
  const large = await storeOf(folder, 'large', turns);
  const { flush, close } = diskOf(folder);
  const setting = { rounds, warmUp: Math.ceil(rounds / 10) };
  const grown = await alternate(
    setting,
    () => timed(() => append(large)),
    () => timed(() => append(small)),
  );
  const flushed = await alternate(
    setting,
    () => timed(() => append(large)),
    () => timed(async () => flush()),
  );
  const walBytes = await walBytesOf(large, () => append(large));
  close();
  for (const { store } of [small, large]) await store.close();
  return [
    ratioFigure(`append a turn: at ${turns} turns / at 10 kB`, grown, { atMost: 1.2 }),
    ratioFigure('append a turn / 8 kB overwrite and fdatasync', flushed, { atMost: 1.5 }),
    plainFigure(
      `WAL of one turn at ${turns} turns, index of words not in it`,
      walBytes,
      'B',
      20_000,
    ),
  ];
}

/** The same prompt's work on a transcript that grows by a turn each time. */
async function prompting(folder: string, rounds: number): Promise<Figure[]> {
  const figures: Figure[] = [];
  const { flush, close } = diskOf(folder);
  for (const [label, bytes] of [
    ['10 kB', 10e3],
    ['1 MB', 1e6],
    ['9.5 MB', 9.5e6],
  ] as const) {
    const room = await storeOf(folder, label, 0);
    let transcript = '';
    while (transcript.length < bytes) transcript += lineOf(randomText());
    const bodyOf = () => Buffer.from(JSON.stringify({ harness: 'claude-code', transcript }));
    const prompt = (body: Buffer) => {
      const hook = JSON.parse(body.toString('utf8')) as { transcript: string };
      return room.store.write((tx) =>
        takeTranscript(
          tx,
          findSession(tx.db, 'default', 's1')!,
          { content: Buffer.from(hook.transcript), start: 0, file: null },
          { harness: 'claude-code', at: tx.now, isFinal: false },
        ),
      );
    };
    await prompt(bodyOf());
    let body = bodyOf();
    const times = await alternate(
      { rounds, warmUp: 2 },
      async () => {
        transcript += lineOf(randomText());
        body = bodyOf();
        return timed(() => prompt(body));
      },
      () =>
        timed(async () => {
          JSON.parse(body.toString('utf8'));
          createHash('sha256').update(body).digest();
          flush();
        }),
    );
    const walBytes = await walBytesOf(room, () => {
      transcript += lineOf(randomText());
      return prompt(bodyOf());
    });
    await room.store.close();
    figures.push(
      ratioFigure(
        `prompt with a transcript of ${label} / read, parse, one hash, one flush`,
        times,
        {
          atMost: 1.3,
        },
      ),
      plainFigure(`WAL of a prompt with a transcript of ${label}`, walBytes, 'B', 40_000),
    );
  }
  close();
  return figures;
}

/** What a commit cannot do without: 8 kB of a file that is there, and a flush. */
function diskOf(folder: string): { flush(): void; close(): void } {
  const disk = openSync(join(folder, 'floor'), 'w+');
  const block = randomBytes(8192);
  writeSync(disk, Buffer.alloc(1 << 20));
  return {
    flush() {
      writeSync(disk, block, 0, block.length, 0);
      fdatasyncSync(disk);
    },
    close: () => closeSync(disk),
  };
}

interface Room {
  store: Store;
  file: string;
  sessionId: number;
}

async function storeOf(folder: string, name: string, turns: number): Promise<Room> {
  const file = join(folder, `${name}.db`);
  const store = openStore(file);
  const { id } = await store.write((tx) =>
    registerSession(tx, {
      agentId: 'default',
      sessionKey: 's1',
      harness: 'claude-code',
      project: null,
      title: null,
    }),
  );
  for (let made = 0; made < turns; made += 10_000) {
    const some = Array.from({ length: Math.min(10_000, turns - made) }, () => ({
      role: 'user' as const,
      text: randomText(),
    }));
    await store.write((tx) => appendTurns(tx, id, some));
  }
  return { store, file, sessionId: id };
}

const append = ({ store, sessionId }: Room) =>
  store.write((tx) => appendTurn(tx, { sessionId, role: 'user', text: randomText() }));

/** A page that is split costs more than one that is filled: over several commits. */
const WAL_COMMITS = 20;

/** From an empty WAL, and without checkpoints, nothing else is counted. */
async function walBytesOf(room: Room, work: () => Promise<unknown>): Promise<number> {
  const release = room.store.holdCheckpoints();
  room.store.db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  for (let done = 0; done < WAL_COMMITS; done += 1) await work();
  release();
  return Math.round(statSync(`${room.file}-wal`).size / WAL_COMMITS);
}

const randomText = () => randomBytes(TURN_BYTES / 2).toString('hex');
const lineOf = (text: string) =>
  `${JSON.stringify({ type: 'user', message: { role: 'user', content: text } })}\n`;
