/** What the program hands over on stdin: one JSON object. */
import type { Readable } from 'node:stream';
import { limits } from '../../contract/limits.ts';
import { objectOf, type JsonObject } from '../../harnesses/json.ts';

/** Some programs, and shells of Windows, write it before all that they pipe. */
const byteOrderMark = /^\ufeff/;

export async function readPayload(
  stdin: Readable,
): Promise<{ payload: JsonObject } | { problem: string }> {
  const bytes = await readToEnd(stdin);
  if (bytes === null) {
    return { problem: `the payload has more than ${limits.hookInputBytesMax} bytes` };
  }
  try {
    const payload = objectOf(JSON.parse(bytes.toString('utf8').replace(byteOrderMark, '')));
    if (payload !== null) return { payload };
  } catch {
    // Said below, as of any other text that is no object.
  }
  return { problem: bytes.length === 0 ? 'nothing came on stdin' : 'stdin is no JSON object' };
}

/** Null where there is too much. A program that forgets to close our stdin gets what it wrote in that time. */
function readToEnd(stdin: Readable): Promise<Buffer | null> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const done = (result: Buffer | null) => {
      clearTimeout(timer);
      stdin.destroy();
      resolve(result);
    };
    const whole = () => done(Buffer.concat(chunks));
    const timer = setTimeout(whole, limits.hookInputMs);
    stdin.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes > limits.hookInputBytesMax) done(null);
    });
    stdin.on('end', whole);
    stdin.on('error', whole);
  });
}
