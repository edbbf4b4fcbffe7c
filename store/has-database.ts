/** Whether there is a database, or nothing ever was: what lies between is damage, and SQLite would not say so. */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { damagedDatabase } from '../domain/disk-trouble.ts';

/**
 * SQLite takes a file of no bytes for a new database, throws away the WAL of a file that is gone, and
 * passes over a WAL whose header it does not know: then what was accepted would be gone, and nobody had
 * been told. A new database of ours is moved to its place whole, so none of this is ever a beginning.
 */
export function hasDatabase(file: string): boolean {
  const size = bytesOf(file);
  const wal = `${file}-wal`;
  if (size === 0) throw damagedDatabase(file, 'it is empty');
  if (size === null && (bytesOf(wal) ?? 0) > 0)
    throw damagedDatabase(file, 'only its -wal file is there');
  if (!isWal(wal)) throw damagedDatabase(wal, 'its header is none');
  return size !== null;
}

const bytesOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? null;

/** Of SQLite's file format: a magic number, and at its end a checksum over the rest. */
const HEADER_BYTES = 32;
const SUMMED_BYTES = 24;
const MAGIC = 0x377f0682;

/** Also where there is none, and where one was only just begun: nothing was committed into that. */
export function isWal(file: string): boolean {
  if ((bytesOf(file) ?? 0) < HEADER_BYTES) return true;
  const header = firstBytes(file);
  const magic = header.readUInt32BE(0);
  // The last bit says in which byte order the sums were made.
  if ((magic & ~1) !== MAGIC) return false;
  const word = (at: number) =>
    (magic & 1) === 1 ? header.readUInt32BE(at) : header.readUInt32LE(at);
  let [first, second] = [0, 0];
  for (let at = 0; at < SUMMED_BYTES; at += 8) {
    first = (first + word(at) + second) >>> 0;
    second = (second + word(at + 4) + first) >>> 0;
  }
  return first === header.readUInt32BE(24) && second === header.readUInt32BE(28);
}

function firstBytes(file: string): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, header, 0, HEADER_BYTES, 0);
    return header;
  } finally {
    closeSync(descriptor);
  }
}
