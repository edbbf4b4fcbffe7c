/**
 * Some programs hand over a transcript as one JSON document: a list of messages, or an object that has one. It is cut
 * before each message, so that each piece holds a whole message with the comma and space in front of it, and all pieces
 * joined are the document. What stands before the first message and after the last is a piece of its own.
 */
import { limits } from '../contract/limits.ts';
import { stringEnd } from '../domain/scan-json.ts';

/** `null`: this is not such a document. One of more messages than may be taken at once is left in one piece. */
export function splitDocument(text: string): string[] | null {
  const start = listStart(text);
  if (start === null) return null;
  const ends = elementEnds(text, start);
  if (ends.length > limits.transcriptLinesMax) return [text];
  const cuts = [start, ...ends];
  const pieces = cuts.map((cut, index) => text.slice(index === 0 ? 0 : cuts[index - 1], cut));
  return [...pieces, text.slice(cuts.at(-1))].filter((piece) => piece !== '');
}

/** Of a piece: the message without what separates it from the one before. */
export function withoutComma(piece: string): string {
  return piece.trimStart().replace(/^,/, '');
}

/** Right behind the bracket that opens the list of messages. */
function listStart(text: string): number | null {
  const list = /^\s*\[(?=\s*[{\]])/.exec(text);
  if (list !== null) return list[0].length;
  if (!/^\s*\{/.test(text)) return null;
  const key = /"messages"\s*:\s*\[/y;
  let depth = 0;
  const nextToken = tokensOf(text);
  for (let at = nextToken(0); at !== -1; at = nextToken(behind(text, at))) {
    key.lastIndex = at;
    if (text[at] === '"' && depth === 1 && key.test(text)) return key.lastIndex;
    depth += depthAt(text, at);
  }
  return null;
}

/** Where each element of the list ends, one after the other, up to one more than may be. */
function elementEnds(text: string, start: number): number[] {
  const ends: number[] = [];
  let depth = 0;
  const nextToken = tokensOf(text);
  for (let at = nextToken(start); at !== -1; at = nextToken(behind(text, at))) {
    const step = depthAt(text, at);
    depth += step;
    if (depth < 0) break;
    if (depth === 0 && step < 0) ends.push(at + 1);
    if (ends.length > limits.transcriptLinesMax) break;
  }
  return ends;
}

function depthAt(text: string, at: number): number {
  const token = text[at];
  if (token === '{' || token === '[') return 1;
  return token === '"' ? 0 : -1;
}

/** Finds the next bracket outside of strings, or where the next string begins; -1 where there is none. */
function tokensOf(text: string): (from: number) => number {
  const next = /["{}[\]]/g;
  return (from) => {
    next.lastIndex = from;
    return next.test(text) ? next.lastIndex - 1 : -1;
  };
}

/** A string that never ends is passed with all the rest. */
function behind(text: string, token: number): number {
  return text[token] === '"' ? stringEnd(text, token + 1) : token + 1;
}
