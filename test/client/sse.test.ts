import { expect, test } from '@jest/globals';
import { readMessages, type SseMessage } from '../../client/sse.ts';

/** As it would come over a network that tears it into pieces of this many bytes. */
async function messagesOf(text: string, pieceBytes: number): Promise<SseMessage[]> {
  const bytes = new TextEncoder().encode(text);
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += pieceBytes) {
        controller.enqueue(bytes.slice(at, at + pieceBytes));
      }
      controller.close();
    },
  });
  const found: SseMessage[] = [];
  for await (const message of readMessages(new Response(body))) found.push(message);
  return found;
}

const text =
  'retry: 1000\n\n: still here\n\nid: 7\nevent: turn\ndata: Grüße 😀\ndata:  two\n\n' +
  'data: plain\r\n\r\nevent: end\ndata: cut off';

test.each([1, 2, 3, 7, 1000])('messages come out whole of pieces of %d bytes', async (bytes) => {
  expect(await messagesOf(text, bytes)).toEqual([
    { event: 'turn', data: 'Grüße 😀\n two', id: '7' },
    { event: 'message', data: 'plain', id: '7' },
  ]);
});
