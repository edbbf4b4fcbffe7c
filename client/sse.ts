/** Reads a `text/event-stream` body, message by message. */

export interface SseMessage {
  event: string;
  data: string;
  id: string;
}

/** One event may carry a whole answer; a line beyond this is not one of ours. */
const lineCharsMax = 64 * 1024 * 1024;

export async function* readMessages(response: Response): AsyncGenerator<SseMessage> {
  let fields = { event: 'message', data: [] as string[], id: '' };
  for await (const line of readLines(response)) {
    if (line === '') {
      const { event, data, id } = fields;
      // The id stays in force for later messages; the rest starts anew.
      fields = { event: 'message', data: [], id };
      if (data.length > 0) yield { event, data: data.join('\n'), id };
      continue;
    }
    const [, name, value] = /^([^:]*)(?:: ?)?(.*)$/s.exec(line) ?? [];
    if (name === 'event') fields.event = value ?? '';
    else if (name === 'data') fields.data.push(value ?? '');
    else if (name === 'id') fields.id = value ?? '';
  }
}

async function* readLines(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of response.body ?? []) {
    const text = decoder.decode(chunk as Uint8Array, { stream: true });
    rest += text;
    if (rest.length > lineCharsMax) throw new TypeError('terminated');
    // A long line comes in many chunks: it is not searched anew with each.
    if (!text.includes('\n')) continue;
    const lines = rest.split(/\r?\n/);
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
