/**
 * Some programs hand over a transcript as one JSON document: a list of messages, or an object that has one. It is cut
 * before each message, so that each piece holds a whole message with the comma and space in front of it, and all pieces
 * joined are the document. What stands before the first message and after the last is a piece of its own.
 */

/** `null`: this is not such a document. */
export function splitDocument(text: string): string[] | null {
  const start = listStart(text);
  if (start === null) return null;
  const cuts = [start, ...elementEnds(text, start)];
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
  for (const { at, token } of tokens(text, 0)) {
    key.lastIndex = at;
    if (token === '"' && depth === 1 && key.test(text)) return key.lastIndex;
    depth += depthOf(token);
  }
  return null;
}

/** Where each element of the list ends, one after the other. */
function elementEnds(text: string, start: number): number[] {
  const ends: number[] = [];
  let depth = 0;
  for (const { at, token } of tokens(text, start)) {
    depth += depthOf(token);
    if (depth < 0) break;
    if (depth === 0 && depthOf(token) < 0) ends.push(at + 1);
  }
  return ends;
}

function depthOf(token: string): number {
  if (token === '{' || token === '[') return 1;
  return token === '"' ? 0 : -1;
}

/** Brackets outside of strings, and where strings begin. A string that never ends is read to the end. */
function* tokens(text: string, from: number): Generator<{ at: number; token: string }> {
  const next = /["{}[\]]/g;
  next.lastIndex = from;
  for (let found = next.exec(text); found !== null; found = next.exec(text)) {
    yield { at: found.index, token: found[0] };
    if (found[0] === '"') next.lastIndex = stringEnd(text, found.index + 1);
  }
}

function stringEnd(text: string, from: number): number {
  const next = /["\\]/g;
  next.lastIndex = from;
  for (let found = next.exec(text); found !== null; found = next.exec(text)) {
    if (found[0] === '"') return next.lastIndex;
    next.lastIndex += 1;
  }
  return text.length;
}
