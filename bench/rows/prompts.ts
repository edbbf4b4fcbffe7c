/**
 * One more prompt with its whole transcript, as a program sends it, beside a request with the same body that
 * is read, parsed, hashed once and flushed; and by path, where the server reads what is new.
 */
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import type { Transport } from '../../client/transport.ts';
import { homePaths } from '../../contract/home.ts';
import { alternate, timed } from '../alternate.ts';
import { withEcho } from '../bare/start.ts';
import { plainFigure, ratioFigure, type Figure } from '../figure.ts';
import type { Row } from '../row.ts';
import { post, withHearing, withStack, type Stack } from '../stack.ts';
import { median } from '../statistics.ts';
import { createTalk, type Talk } from '../talk.ts';

/** The first calls of a process run code that is not compiled yet, and are not counted (`storage-perf` §8). */
const SIZES: readonly Size[] = [
  // ADR 0017 has why this one may be more.
  { label: '10 kB', bytes: 10e3, rounds: 600, warmUp: 300, atMost: 1.8 },
  { label: '1 MB', bytes: 1e6, rounds: 200, warmUp: 20, atMost: 1.3 },
  { label: '9.5 MB', bytes: 9.5e6, rounds: 60, warmUp: 3, atMost: 1.3 },
];
interface Size {
  label: string;
  bytes: number;
  rounds: number;
  warmUp: number;
  atMost: number;
}
/** Prompts of one session, before it has grown by half; by more it would be of another size. */
const promptsEach = (bytes: number) => Math.max(4, Math.floor(bytes / 2000));
/** A turn, its session's row, what is known of the transcript and of the hook, and their indexes' pages. */
const ROWS_MAX = 5;
const LOG_BYTES_MAX = 60_000;
/** Prompts whose writing is counted. */
const COUNTED = 20;
/** What is new, the block before it by which the file is known again, the request, and pages of the store. */
const READ_BYTES_MAX = 50_000;

export const promptsRow: Row = {
  name: 'prompts',
  measure: ({ quick }) =>
    withStack({}, (stack) =>
      withEcho(stack, (echo) =>
        withHearing(stack, async (untilHeard) => {
          const figures: Figure[] = [];
          for (const size of SIZES) {
            const asked = quick ? { ...size, rounds: 4, warmUp: 1 } : size;
            figures.push(...(await inline({ stack, echo, untilHeard }, asked)));
          }
          return [...figures, await byPath(stack, quick ? 4 : 40)];
        }),
      ),
    ),
};

interface Sides {
  stack: Stack;
  echo: Transport;
  untilHeard: () => Promise<void>;
}

async function inline(
  sides: Sides,
  { label, bytes, rounds, warmUp, atMost }: Size,
): Promise<Figure[]> {
  const { stack, echo, untilHeard } = sides;
  const prompts = 2 * (rounds + warmUp) + COUNTED;
  const talk = createTalk(31);
  const talks = Array.from({ length: Math.ceil(prompts / promptsEach(bytes)) }, () =>
    createConversation(talk, bytes),
  );
  let body: Buffer;
  let said = 0;
  const take = (n: number) => (body = bodyOf(`prompts ${label} ${n}`, talks[n]!));
  const ours = () => timed(() => send(stack.server, '/api/hooks/user-prompt-submit', body));
  const taken = () => timed(() => send(echo, '/taken', body));
  const kept = () => timed(() => send(echo, '/kept', body));
  const say = async () => {
    const n = Math.floor(said / promptsEach(bytes));
    talks[n]!.say();
    take(n);
    said += 1;
  };
  // All of them, first: the beginning of a session has a price of its own, and the engine is busy with it for a while.
  for (const n of talks.keys()) {
    take(n);
    await ours();
  }
  await untilHeard();
  const times = await alternate({ rounds, warmUp }, ours, taken, say);
  const written = await countWritten(sides, say, ours);
  const least = await alternate({ rounds, warmUp }, kept, taken, say);
  return [
    ratioFigure(`prompt with ${label} of transcript / read, parse, one hash, one flush`, times, {
      atMost,
    }),
    // What is left of the bound for all else that a hook does.
    ratioFigure(`  looked up and kept, and nothing else / the same floor`, least, null),
    plainFigure(`  rows that it adds`, written.rows, '', ROWS_MAX),
    plainFigure(`  WAL of it`, written.logBytes, 'B', LOG_BYTES_MAX),
  ];
}

const bodyOf = (sessionKey: string, conversation: Conversation) =>
  Buffer.from(
    JSON.stringify({
      ...{ harness: 'claude-code', sessionKey, project: '/bench' },
      ...{ transcript: conversation.text(), userPrompt: conversation.last() },
    }),
  );

/** As the server counts them itself: bytes that its process has asked the system for. */
async function byPath(stack: Stack, rounds: number): Promise<Figure> {
  const conversation = createConversation(createTalk(31), 9.5e6);
  const folder = join(stack.home, 'staging');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'transcript.jsonl');
  writeFileSync(path, conversation.text());
  const prompt = () =>
    post(stack.server, '/api/hooks/user-prompt-submit', {
      ...{ harness: 'claude-code', sessionKey: 'prompts by path', project: '/bench' },
      ...{ transcriptPath: path, userPrompt: conversation.last() },
    });
  await prompt();
  // The index reads all of it, too: a search waits until that is done.
  await post(stack.server, '/api/sessions/search', { query: 'anything' });
  const readBytes = () =>
    Number(/rchar: (\d+)/.exec(readFileSync(`/proc/${stack.pid('server')}/io`, 'utf8'))![1]);
  const each: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    appendFileSync(path, conversation.say());
    const before = readBytes();
    await prompt();
    each.push(readBytes() - before);
  }
  // Not the mean: now and then the log is copied in between, all of which is read for that.
  return plainFigure(
    'prompt with 9.5 MB by path: bytes read, median',
    median(each),
    'B',
    READ_BYTES_MAX,
  );
}

interface Conversation {
  text(): string;
  last(): string;
  /** One turn more; answers its line. */
  say(): string;
}

function createConversation(talk: Talk, bytes: number): Conversation {
  let said = '';
  let last = '';
  function say(): string {
    last = talk.turn(1);
    const line = `${JSON.stringify({ type: 'user', message: { role: 'user', content: last } })}\n`;
    said += line;
    return line;
  }
  while (said.length < bytes) say();
  return { text: () => said, last: () => last, say };
}

/** A body that is made already: what is measured begins where it is sent. */
async function send(to: Transport, path: string, body: Buffer): Promise<void> {
  const headers = { authorization: `Bearer ${to.token}`, 'content-type': 'application/json' };
  const response = await to.fetch(`${to.url}${path}`, {
    ...{ method: 'POST', headers, body: new Uint8Array(body) },
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  await response.arrayBuffer();
}

/** What a prompt writes, seen from outside, with what follows from it: rows in all tables, and frames of the log. */
async function countWritten(
  { stack: { home }, untilHeard }: Sides,
  say: () => Promise<void>,
  prompt: () => Promise<unknown>,
): Promise<{ rows: number; logBytes: number }> {
  const { database } = homePaths(home);
  const db = new BetterSqlite3(database, { readonly: true });
  const tables = db
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
    .pluck()
    .all() as string[];
  const rowsOf = (name: string) =>
    Number(db.prepare(`SELECT count(*) FROM "${name}"`).pluck().get());
  const countRows = () => tables.reduce((sum, name) => sum + rowsOf(name), 0);
  const countFrames = () => readFileSync(`${database}-shm`).readUInt32LE(16);
  let [rows, frames] = [0, 0];
  for (let n = 0; n < COUNTED; n += 1) {
    await say();
    const [rowsBefore, framesBefore] = [countRows(), countFrames()];
    await prompt();
    await untilHeard();
    const framesNow = countFrames();
    rows += countRows() - rowsBefore;
    // After a checkpoint the log begins anew.
    frames += framesNow >= framesBefore ? framesNow - framesBefore : framesNow;
  }
  db.close();
  return { rows: rows / COUNTED, logBytes: Math.round((frames * (4096 + 24)) / COUNTED) };
}
