/**
 * Reads a transcript whose records are JSON: one on each line, or the messages of one document. Each record is read
 * for itself, so a transcript in two parts, cut between lines, gives the same entries as in one. A record that cannot
 * be read is a mark with its text: nobody can say who spoke, and nothing is dropped.
 */
import type { ParseTranscript, TranscriptEntry } from '../contract/transcript.ts';
import { objectOf, type JsonObject } from './json.ts';
import { mark, type Said } from './said.ts';
import { splitDocument, withoutComma } from './split-document.ts';

export type ReadRecord = (record: JsonObject) => Said;

export function parseRecords(read: ReadRecord): ParseTranscript {
  return (text) => {
    const pieces = isDocument(text) ? splitDocument(text) : null;
    if (pieces === null) return linesOf(text).map((raw) => entryOf(raw, raw, read));
    return pieces.map((raw, index) => {
      const isHead = index === 0;
      const isTail = index === pieces.length - 1 && /^\s*\]/.test(raw);
      return isHead || isTail ? { ...mark(), raw } : entryOf(raw, withoutComma(raw), read);
    });
  };
}

/** Each with its end of line, so that joined they are the text again. */
export function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function entryOf(raw: string, json: string, read: ReadRecord): TranscriptEntry {
  return { ...readSaid(json.trim(), read), raw };
}

function readSaid(json: string, read: ReadRecord): Said {
  if (json === '') return mark();
  try {
    const record = objectOf(JSON.parse(json));
    if (record !== null) return read(record);
  } catch {
    // Half a line, or nested so deep that reading it overflows the stack: what it holds is kept as it stands.
  }
  return mark(undefined, json);
}

/** Lines are told by their first: it is a whole record. A document begins with a bracket, or is one line in all. */
function isDocument(text: string): boolean {
  const first = /^\s*(.*)/.exec(text)?.[1]?.trim() ?? '';
  if (first.startsWith('[') || first === '{') return true;
  if (!first.startsWith('{') || text.trim().length > first.length) return false;
  try {
    return Array.isArray(objectOf(JSON.parse(first))?.messages);
  } catch {
    return false;
  }
}
