/** The lines of a stream, none of them without end: what no server takes needs no memory here. */
import { limits } from '../contract/limits.ts';
import { tooLong } from './session-lines.ts';

export async function* readLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let begun: Buffer[] = [];
  let bytes = 0;
  let lines = 0;
  for await (const given of source) {
    const chunk = Buffer.from(given);
    let from = 0;
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, from)) {
      yield asLine([...begun, chunk.subarray(from, end)]);
      [begun, bytes, from] = [[], 0, end + 1];
      lines += 1;
    }
    begun.push(chunk.subarray(from));
    bytes += chunk.length - from;
    if (bytes > limits.bodyBytesMax) throw tooLong(lines + 1);
  }
  if (bytes > 0) yield asLine(begun);
}

const asLine = (parts: Buffer[]) => Buffer.concat(parts).toString('utf8').replace(/\r$/, '');
