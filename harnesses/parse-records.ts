/**
 * Reads a transcript whose records are JSON: one on each line, or the messages of one document. Each record is read
 * for itself, so a transcript in two parts, cut between lines, gives the same entries as in one. A record that cannot
 * be read is a mark with its text: nobody can say who spoke, and nothing is dropped.
 */
import type { ParseTranscript, TranscriptEntry } from '../contract/transcript.ts';
import { wellFormed } from '../contract/well-formed.ts';
import { holdsTooMuch } from '../domain/scan-json.ts';
import { objectOf, type JsonObject } from './json.ts';
import { mark, type Said } from './said.ts';
import { splitDocument, withoutComma } from './split-document.ts';

export type ReadRecord = (record: JsonObject, agent: string | null) => Said;

export function parseRecords(read: ReadRecord): ParseTranscript {
  return (text, agent = null) => {
    const readIt = (record: JsonObject) => read(record, agent);
    const pieces = isDocument(text) ? splitDocument(text) : null;
    if (pieces === null) return linesOf(text).map((raw) => entryOf(raw, raw, readIt));
    return pieces.map((raw, index) => {
      const isHead = index === 0;
      const isTail = index === pieces.length - 1 && raw.trimStart().startsWith(']');
      return isHead || isTail ? { ...mark(), raw } : entryOf(raw, withoutComma(raw), readIt);
    });
  };
}

/**
 * Each with its end of line, so that joined they are the text again. By no pattern: on a line of megabytes the engine's
 * stack for patterns has overflowed.
 */
export function linesOf(text: string): string[] {
  const lines: string[] = [];
  for (let from = 0; from < text.length;) {
    const end = text.indexOf('\n', from) + 1 || text.length;
    lines.push(text.slice(from, end));
    from = end;
  }
  return lines;
}

/** In JSON half a character stands escaped, and becomes one only when it is read: the line itself stays as it is. */
function entryOf(raw: string, json: string, read: (record: JsonObject) => Said): TranscriptEntry {
  return { ...wellFormed(readSaid(json.trim(), read)), raw };
}

function readSaid(json: string, read: (record: JsonObject) => Said): Said {
  // Of one that holds more than any message does nothing is read but that it is there.
  if (json === '' || holdsTooMuch(json)) return mark();
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
  const whole = text.trim();
  const end = whole.indexOf('\n');
  const first = end === -1 ? whole : whole.slice(0, end).trimEnd();
  if (first.startsWith('[') || first === '{') return true;
  if (!first.startsWith('{') || whole.length > first.length || holdsTooMuch(first)) return false;
  try {
    return Array.isArray(objectOf(JSON.parse(first))?.messages);
  } catch {
    return false;
  }
}
