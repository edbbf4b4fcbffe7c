import type { ServerResponse } from 'node:http';
import { expect, test } from '@jest/globals';
import { createClient } from '../../client/client.ts';
import type { SubAgentEvent } from '../../client/events.ts';
import { answerProblem, recordOf, turnOf, withFakeServer } from './fake-server.ts';

const token = 'off_test';

function open(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write('retry: 1000\n\n: still here\n\n');
}
const turn = (seq: number, text = `line ${seq}\n`) =>
  `id: ${seq}\nevent: turn\ndata: ${JSON.stringify(turnOf(seq, { text }))}\n\n`;
const end = (seq: number) => `id: ${seq}\nevent: end\ndata: ${JSON.stringify(recordOf())}\n\n`;

async function all(events: AsyncIterable<SubAgentEvent>): Promise<string[]> {
  const found: string[] = [];
  for await (const event of events) {
    found.push(event.event === 'turn' ? `${event.id} ${event.data.text.trim()}` : 'end');
  }
  return found;
}

test('a stream is followed to its end', async () => {
  await withFakeServer(
    (_, response) => {
      open(response);
      response.end(turn(1) + turn(2) + end(3));
    },
    async ({ url, seen }) => {
      const events = createClient({ url, token }).events('sub_1');
      expect(await all(events)).toEqual(['1 line 1', '2 line 2', 'end']);
      expect(seen[0]?.url).toBe('/api/subagents/sub_1/events');
      expect(seen[0]?.headers['last-event-id']).toBeUndefined();
    },
  );
});

test('a broken stream goes on behind the last turn, without a repeat and without a gap', async () => {
  let connections = 0;
  await withFakeServer(
    (_, response) => {
      connections += 1;
      open(response);
      if (connections === 1) {
        // The third turn is cut in the middle of its data.
        response.write(turn(1) + turn(2) + turn(3).slice(0, 40));
        return void setTimeout(() => response.socket?.destroy(), 50);
      }
      if (connections === 2) return void response.end(turn(2) + turn(3));
      return void response.end(turn(4) + end(5));
    },
    async ({ url, seen }) => {
      const events = createClient({ url, token }).events('sub_1');
      expect(await all(events)).toEqual(['1 line 1', '2 line 2', '3 line 3', '4 line 4', 'end']);
      expect(seen.map((one) => one.headers['last-event-id'])).toEqual([undefined, '2', '3']);
    },
  );
});

test('a stream survives a server that is away for a while', async () => {
  let connections = 0;
  await withFakeServer(
    (_, response) => {
      connections += 1;
      open(response);
      response.write(connections === 1 ? turn(1) : turn(2) + end(3));
    },
    async ({ url, stop, start }) => {
      const events = createClient({ url, token }).events('sub_1');
      expect((await events.next()).value).toMatchObject({ id: 1 });
      const rest = all(events);
      await stop();
      await new Promise((resolve) => setTimeout(resolve, 300));
      await start();
      expect(await rest).toEqual(['2 line 2', 'end']);
    },
  );
});

test('a stream starts behind the turn that is known, and a refusal is an error', async () => {
  await withFakeServer(
    (_, response) => answerProblem(response, 404, 'not_found'),
    async ({ url, seen }) => {
      const events = createClient({ url, token }).events('sub_1', { after: 7 });
      await expect(events.next()).rejects.toMatchObject({ code: 'not_found', status: 404 });
      expect(seen[0]?.headers['last-event-id']).toBe('7');
    },
  );
});

test('a problem inside the stream is an error, unless the server is only going away', async () => {
  let connections = 0;
  const problem = (code: string) =>
    `event: problem\ndata: ${JSON.stringify({ code, detail: 'Oh.', hint: null })}\n\n`;
  await withFakeServer(
    (_, response) => {
      connections += 1;
      open(response);
      response.end(problem(connections === 1 ? 'server_unavailable' : 'forbidden'));
    },
    async ({ url }) => {
      const events = createClient({ url, token }).events('sub_1');
      await expect(events.next()).rejects.toMatchObject({ code: 'forbidden', message: 'Oh.' });
      expect(connections).toBe(2);
    },
  );
});

test('leaving the loop closes the connection', async () => {
  let closed: () => void = () => undefined;
  const isClosed = new Promise<void>((resolve) => (closed = resolve));
  await withFakeServer(
    (_, response) => {
      response.on('close', closed);
      open(response);
      response.write(turn(1) + turn(2));
    },
    async ({ url }) => {
      for await (const event of createClient({ url, token }).events('sub_1')) {
        expect(event.id).toBe(1);
        break;
      }
      await isClosed;
    },
  );
});

test('a session is followed across broken streams, as long as somebody reads', async () => {
  const said = (seq: number) => {
    const more = { invocationId: null, runNo: null, tools: null, source: 'hook', place: seq };
    const data = { ...turnOf(seq), ...more };
    return `id: ${seq}\nevent: turn\ndata: ${JSON.stringify(data)}\n\n`;
  };
  let connections = 0;
  await withFakeServer(
    (_, response) => {
      connections += 1;
      open(response);
      if (connections === 1) return void response.end(said(4) + said(5));
      response.write(said(5) + said(6));
    },
    async ({ url, seen }) => {
      const session = { key: 'a b', agentId: 'bob' };
      const found: number[] = [];
      for await (const { seq } of createClient({ url, token }).watchSession(session, {
        after: 3,
      })) {
        found.push(seq);
        if (seq === 6) break;
      }
      expect(found).toEqual([4, 5, 6]);
      expect(seen.map((one) => [one.url, one.headers['last-event-id']])).toEqual([
        ['/api/sessions/a%20b/events?agentId=bob', '3'],
        ['/api/sessions/a%20b/events?agentId=bob', '5'],
      ]);
    },
  );
});
