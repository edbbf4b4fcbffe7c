/** What a hook brings of its program's transcript becomes turns: of what is known already, nothing again. */
import { isUtf8 } from 'node:buffer';
import type { TranscriptEntry } from '../../contract/transcript.ts';
import { bytesOfBuffer, type TranscriptBytes } from '../../domain/transcript-bytes.ts';
import { followChain, lastBlockStart } from '../../domain/transcript-chain.ts';
import { isSaid } from '../../domain/said-keys.ts';
import { idIn, parserFor } from '../../harnesses/index.ts';
import type { ReadTurn } from '../../store/reading-order.ts';
import type { SessionRow } from '../../store/sessions.ts';
import { addReport, keepSnapshot, snapshotOf, type Report } from '../../store/snapshots.ts';
import type { Tx } from '../../store/write-queue.ts';
import type { GivenTranscript } from './read-transcript.ts';

/** The end of a file was read, and what comes before it is not what was known: all of it has to be read. */
export class NeedsWhole extends Error {}

interface About {
  harness: string;
  at: string;
  /** Nothing more will come: what its program has left half written is kept as it is. */
  isFinal: boolean;
}

/** Answers what is read last now, where it was not known before. */
export function takeTranscript(
  tx: Tx,
  session: SessionRow,
  given: GivenTranscript,
  about: About,
): ReadTurn | null {
  const known = snapshotOf(session);
  const { content, start } = given;
  if (start > 0 && (known === null || start !== lastBlockStart(known.chain.bytes))) {
    throw new NeedsWhole();
  }
  const followed = followChain(content, known?.chain ?? null, start);
  if (!followed.isKnown && start > 0) throw new NeedsWhole();
  const knownBytes = followed.isKnown ? known!.chain.bytes : start;
  if (knownBytes === followed.chain.bytes) return null;
  const { from, follows } = whereFrom(given, followed.isKnown, about.harness, known);
  const bytes = content.from(from);
  const text = bytes.toString('utf8');
  const all = parserFor(about.harness, text)(text, session.harness_agent_id);
  const entries = about.isFinal ? all : withoutHalf(all);
  const held = all.length === entries.length ? 0 : Buffer.byteLength(all.at(-1)!.raw);
  const chain =
    held === 0
      ? followed.chain
      : followChain(withoutEnd(content, held), known?.chain ?? null, start).chain;
  const report: Report = {
    // What others say in a sub-agent's transcript is kept where it is theirs; a session keeps its sub-agents' lines.
    entries:
      session.harness_agent_id === null ? entries : entries.filter((entry) => !entry.isOfAnother),
    follows,
    name: `${chain.bytes}:${chain.last}`,
    at: about.at,
    idOf: (raw) => idIn(about.harness, raw),
  };
  const { seq, isPart, end } = addReport(tx, session, report);
  const last = entries.at(-1);
  const isCounted = last !== undefined && isSaid(last) && isUtf8(bytes);
  keepSnapshot(tx, session.id, {
    chain,
    lastEntryBytes: isCounted ? Buffer.byteLength(last.raw) : null,
    seq: seq ?? (follows === null ? 0 : known!.seq),
    file: given.file,
    isPart,
  });
  return end;
}

const withoutEnd = (content: TranscriptBytes, bytes: number) =>
  bytesOfBuffer(content.from(0).subarray(0, -bytes));

/** From where it has to be read, and how that stands to what is known. */
function whereFrom(
  { content, start, file }: GivenTranscript,
  isKnown: boolean,
  harness: string,
  known: ReturnType<typeof snapshotOf>,
): { from: number; follows: Report['follows'] } {
  if (!isKnown) return { from: 0, follows: null };
  const end = known!.chain.bytes - start;
  if (beginsAnew(content, end, harness)) {
    // The last messages may begin with the same bytes where the same was said before: their words say where they stand.
    // Of a file that has grown that is known.
    const isGrown = file !== null && file === known!.file;
    const isRepeatable = known!.isPart && known!.chain.blocks === '' && !isGrown;
    return isRepeatable ? { from: 0, follows: null } : { from: end, follows: 'it' };
  }
  // The last entry has grown: it is read again, as it is now.
  const from = known!.lastEntryBytes === null ? -1 : end - known!.lastEntryBytes;
  if (from >= 0) return { from, follows: 'from its last entry' };
  if (start > 0) throw new NeedsWhole();
  return { from: 0, follows: null };
}

/** Whether what comes behind the known end is an entry of its own, and not more of the last one. */
function beginsAnew(content: TranscriptBytes, end: number, harness: string): boolean {
  const around = content.from(Math.max(0, end - 1));
  const rest = end === 0 ? around : around.subarray(1);
  const isAtLine = end === 0 || around[0] === 0x0a || rest[0] === 0x0a;
  if (!isAtLine) return false;
  const text = rest.toString('utf8');
  const first = parserFor(
    harness,
    text,
  )(text.slice(0, firstChars)).find((entry) => entry.raw.trim() !== '');
  // In plain text a line under no speaker's name belongs to who spoke last.
  return first === undefined || !isUnnamed(first);
}

/** Enough to see how the first entry begins. */
const firstChars = 4096;

const isUnnamed = (entry: TranscriptEntry) =>
  entry.role === 'assistant' && entry.raw.trim() === entry.text.trim();

/** A line without its end that cannot be read is one that its program is still writing. */
function withoutHalf(entries: TranscriptEntry[]): TranscriptEntry[] {
  const last = entries.at(-1);
  const isHalf = last?.role === 'mark' && last.text !== '' && !last.raw.endsWith('\n');
  return isHalf ? entries.slice(0, -1) : entries;
}
