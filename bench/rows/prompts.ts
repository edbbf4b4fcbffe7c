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
import { post, withStack, type Stack } from '../stack.ts';
import { median } from '../statistics.ts';
import { createTalk, type Talk } from '../talk.ts';

const SIZES = [
  ['10 kB', 10e3],
  ['1 MB', 1e6],
  ['9.5 MB', 9.5e6],
] as const;
/** A turn, its session's row, what is known of the transcript and of the hook, and their indexes' pages. */
const ROWS_MAX = 20;
const LOG_BYTES_MAX = 60_000;
/** What is new, the block before it by which the file is known again, the request, and pages of the store. */
const READ_BYTES_MAX = 50_000;

export const promptsRow: Row = {
  name: 'prompts',
  measure: ({ quick }) =>
    withStack({}, (stack) =>
      withEcho(stack, async (echo) => {
        const figures: Figure[] = [];
        for (const [label, bytes] of SIZES) {
          figures.push(...(await inline(stack, echo, label, bytes, quick ? 4 : 60)));
        }
        return [...figures, await byPath(stack, quick ? 4 : 40)];
      }),
    ),
};

async function inline(
  stack: Stack,
  echo: Transport,
  label: string,
  bytes: number,
  rounds: number,
): Promise<Figure[]> {
  const conversation = createConversation(bytes);
  const bodyOf = () =>
    Buffer.from(
      JSON.stringify({
        ...{ harness: 'claude-code', sessionKey: `prompts ${label}`, project: '/bench' },
        ...{ transcript: conversation.text(), userPrompt: conversation.last() },
      }),
    );
  let body = bodyOf();
  const ours = () => timed(() => send(stack.server, '/api/hooks/user-prompt-submit', body));
  await ours();
  const counts = watchStore(stack.home);
  const taken = () => timed(() => send(echo, '/taken', body));
  const kept = () => timed(() => send(echo, '/kept', body));
  const times = await alternate(
    { rounds, warmUp: 3 },
    async () => {
      conversation.say();
      body = bodyOf();
      counts.begin();
      const ms = await ours();
      counts.note();
      return ms;
    },
    taken,
  );
  const written = counts.end(rounds + 3);
  const least = await alternate({ rounds, warmUp: 3 }, kept, taken);
  return [
    ratioFigure(`prompt with ${label} of transcript / read, parse, one hash, one flush`, times, {
      atMost: 1.3,
    }),
    // What is left of the bound for all that a hook does beyond keeping one turn.
    ratioFigure(`  one turn kept in the same way / the same floor`, least, null),
    plainFigure(`  rows that it adds`, written.rows, '', ROWS_MAX),
    plainFigure(`  WAL of it`, written.logBytes, 'B', LOG_BYTES_MAX),
  ];
}

/** As the server counts them itself: bytes that its process has asked the system for. */
async function byPath(stack: Stack, rounds: number): Promise<Figure> {
  const conversation = createConversation(9.5e6);
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

function createConversation(bytes: number): Conversation {
  const talk: Talk = createTalk(31);
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

interface Counts {
  begin(): void;
  note(): void;
  end(times: number): { rows: number; logBytes: number };
}

/** Rows in all tables, and frames of the log, from outside. */
function watchStore(home: string): Counts {
  const { database } = homePaths(home);
  const db = new BetterSqlite3(database, { readonly: true });
  const tables = db
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
    .pluck()
    .all() as string[];
  const rowsOf = (name: string) =>
    Number(db.prepare(`SELECT count(*) FROM "${name}"`).pluck().get());
  const rows = () => tables.reduce((sum, name) => sum + rowsOf(name), 0);
  const frames = () => readFileSync(`${database}-shm`).readUInt32LE(16);
  const rowsBefore = rows();
  let framesBefore = frames();
  let grown = 0;
  return {
    begin: () => void (framesBefore = frames()),
    note() {
      const now = frames();
      // After a checkpoint the log begins anew.
      grown += now >= framesBefore ? now - framesBefore : now;
    },
    end(times) {
      const rowsNow = rows();
      db.close();
      return {
        rows: (rowsNow - rowsBefore) / times,
        logBytes: Math.round((grown * (4096 + 24)) / times),
      };
    },
  };
}
