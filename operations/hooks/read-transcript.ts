/** Reads a transcript that a hook names: only below allowed folders, only regular files, only so much. */
import { constants } from 'node:fs';
import { lstat, open, realpath, type FileHandle } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { AppError } from '../../contract/errors.ts';
import { limits } from '../../contract/limits.ts';
import { isBelow } from '../../domain/is-below.ts';
import { bytesOfBuffer, bytesOfText, type TranscriptBytes } from '../../domain/transcript-bytes.ts';
import { lastBlockStart } from '../../domain/transcript-chain.ts';
import type { SnapshotState } from '../../store/snapshots.ts';
import type { TranscriptRoot } from './transcript-roots.ts';

export interface GivenTranscript {
  /** Its bytes from `start` on. */
  content: TranscriptBytes;
  start: number;
  /** Device and inode, where it is a file. */
  file: string | null;
}

/**
 * Where it is the file that was read last, and not shorter, its bytes before the last known block are taken
 * on trust: only what comes after is read. Null for a file that is not there yet.
 */
export async function readTranscript(
  path: string,
  roots: readonly TranscriptRoot[],
  known: SnapshotState | null,
  isOwn: (real: string) => boolean = () => true,
): Promise<GivenTranscript | null> {
  const file = await openBelow(path, roots, isOwn);
  if (file === null) return null;
  try {
    const { dev, ino, size } = await file.stat();
    const id = `${dev}:${ino}`;
    const isSame = known !== null && known.file === id && size >= known.chain.bytes;
    const start = isSame ? lastBlockStart(known.chain.bytes) : 0;
    if (size - start > limits.transcriptBytesMax) {
      throw new AppError(
        'transcript_too_large',
        `transcriptPath: over ${limits.transcriptBytesMax} bytes of it are not known yet`,
        lastAlone,
      );
    }
    const content = await readFrom(file, start, size);
    refuseMany(content, 'transcriptPath');
    return { content: bytesOfBuffer(content), start, file: id };
  } finally {
    await file.close();
  }
}

export function givenInline(transcript: string): GivenTranscript {
  refuseMany(transcript, 'transcript');
  return { content: bytesOfText(transcript), start: 0, file: null };
}

/** All of it is taken in one transaction, in which each line costs more than its bytes do. */
function refuseMany(content: Buffer | string, field: string): void {
  let lines = 0;
  for (let at = content.indexOf('\n'); at >= 0; at = content.indexOf('\n', at + 1)) lines += 1;
  if (lines <= limits.transcriptLinesMax) return;
  throw new AppError(
    'transcript_too_large',
    `${field}: ${lines} lines of it came at once; ${limits.transcriptLinesMax} may`,
    lastAlone,
  );
}

async function openBelow(
  path: string,
  roots: readonly TranscriptRoot[],
  isOwn: (real: string) => boolean,
): Promise<FileHandle | null> {
  if (!isAbsolute(path)) throw noPath('must be an absolute path');
  if (path.length > limits.pathCharsMax) {
    throw noPath(`must not be longer than ${limits.pathCharsMax} characters`);
  }
  if (path.includes('\0')) throw noPath('must not hold NUL');
  const allowed = await Promise.all(
    // In a program's very first session its folder is not there yet, either.
    roots.map(async ({ folder, part }) => ({ folder: await wouldBe(folder), part })),
  );
  const isAllowed = (real: string) =>
    allowed.some(
      ({ folder, part }) =>
        isBelow(folder, real) && (part === undefined || isInPart(part, relative(folder, real))),
    );
  const real = await realOrNull(path);
  if (real === null) {
    // Of what lies elsewhere nobody learns whether it is there.
    const missing = await wouldBe(path);
    if (!isAllowed(missing)) throw refused(path);
    if (!isOwn(missing)) throw foreign(path);
    return null;
  }
  if (!isAllowed(real)) throw refused(path);
  if (!isOwn(real)) throw foreign(path);
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  // Of a pipe or a device nothing is waited for: what it is, is looked at when it is open.
  const file = await open(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(asRefusal);
  try {
    const opened = await file.stat();
    const there = await lstat(await realpath(path));
    if (!opened.isFile()) throw notAFile(path);
    // A folder on the way may have become a link between the two looks.
    const isStill = there.dev === opened.dev && there.ino === opened.ino;
    const now = await realpath(path);
    if (!isStill || !isAllowed(now)) throw refused(path);
    if (!isOwn(now)) throw foreign(path);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }

  function asRefusal(cause: NodeJS.ErrnoException): never {
    if (cause.code === 'EISDIR' || cause.code === 'ENXIO') throw notAFile(path);
    throw new AppError('transcript_refused', `transcriptPath: cannot be read: ${cause.code}`, {
      cause,
      hint: `Let the server read it, or ${inline}.`,
    });
  }
}

const isInPart = (part: string, path: string) => path.split(sep)[1] === part;

/** What a path really is, or would be: it may not be there. */
async function wouldBe(path: string): Promise<string> {
  const whole = resolve(path);
  for (let folder = whole; ; folder = dirname(folder)) {
    const real = await realOrNull(folder);
    if (real !== null) return join(real, relative(folder, whole));
    if (folder === dirname(folder)) return whole;
  }
}

/** Null for what is not there, or cannot be looked up. */
const realOrNull = (path: string) => realpath(path).catch(() => null);

/** As much as there was when it was looked at: a file that grows meanwhile is read further next time. */
async function readFrom(file: FileHandle, start: number, size: number): Promise<Buffer> {
  const content = Buffer.allocUnsafe(Math.max(0, size - start));
  let filled = 0;
  while (filled < content.length) {
    const { bytesRead } = await file.read(content, filled, content.length - filled, start + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return content.subarray(0, filled);
}

const inline = 'send it inline as `transcript`';
/** What is refused for the field alone keeps nothing else of the hook from being heard. */
const noPath = (why: string) =>
  new AppError('bad_request', `transcriptPath: ${why}`, {
    hint: `Name a file below the programs' own folders or one of hooks.transcriptRoots, or ${inline}.`,
  });
const lastAlone = { hint: 'Send its last messages inline as `transcript`, without those before.' };
const refused = (path: string) =>
  new AppError('transcript_refused', `transcriptPath: ${path} is outside of the allowed folders`, {
    hint: `Add its folder to hooks.transcriptRoots in the configuration, or ${inline}.`,
  });
const foreign = (path: string) =>
  new AppError('transcript_refused', `transcriptPath: ${path} bears another session's id`, {
    hint: `With this token a file is read that bears the id of the session: name that, or ${inline}.`,
  });
const notAFile = (path: string) =>
  new AppError('transcript_not_a_file', `transcriptPath: ${path} is not a regular file`, {
    hint: `Name the file itself, or ${inline}.`,
  });
