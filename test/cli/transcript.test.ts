/** What was said in a session, whoever runs it, as it is seen. */
import { expect, test } from '@jest/globals';
import type { SessionTurn } from '../../contract/transcripts.ts';
import { answerJson, turnOf, withFakeServer } from '../client/fake-server.ts';
import { cli, startCli, until } from './cli-harness.ts';

const turn = (seq: number, fields: Partial<SessionTurn> = {}): SessionTurn => ({
  ...turnOf(seq, { invocationId: null, runNo: null }),
  place: seq,
  role: 'assistant',
  text: `word ${seq}`,
  tools: null,
  source: 'hook',
  ...fields,
});
const tools: SessionTurn['tools'] = [
  { kind: 'call', id: 't1', name: 'Bash', text: '{"command":\n "ls"}', isError: false },
  { kind: 'result', id: 't1', name: null, text: 'no such file', isError: true },
];
const turns = [
  turn(1, { role: 'mark', text: '', source: 'snapshot' }),
  turn(2, { role: 'user', text: 'Look\n\u001b[31mat it' }),
  turn(3, { text: '', tools }),
  turn(4, { place: 5 }),
  turn(5, { place: null }),
  turn(6, { place: 4, late: true }),
];
const answerTo = (url: string) => {
  const after = Number(new URL(url, 'http://x').searchParams.get('after'));
  const page = turns.filter(({ seq }) => seq > after).slice(0, 4);
  const last = page.at(-1)?.seq ?? after;
  return { sessionKey: 's1', agentId: 'a', turns: page, nextAfter: last < 6 ? last : null };
};

test('the words of a session that a program reports are told as they are read', async () => {
  await withFakeServer(
    ({ url }, response) => answerJson(response, answerTo(url)),
    async ({ url, seen }) => {
      const run = await cli(['transcript', 'session:a b', '--agent', 'bob'], { url });
      const at = '2026-01-01T00:00:02.000Z';
      expect(`\n${run.out}`).toBe(`
#2  user  ${at}
Look
at it

#3  assistant  ${at}
→ Bash {"command": "ls"}
← (error) no such file

#6  assistant  ${at}  late
word 6

#4  assistant  ${at}
word 4

#5  assistant  ${at}  left
word 5

`);
      const path = '/api/sessions/session%3Aa%20b/transcript?agentId=bob&format=turns';
      expect(seen.map((one) => one.url)).toEqual([`${path}&after=0`, `${path}&after=4`]);
      const json = await cli(['transcript', 's1', '--json', '-n', '3'], { url });
      expect(JSON.parse(json.out)).toEqual({ turns: turns.slice(0, 3) });
      const few = await cli(['transcript', 's1', '--after', '2', '-n', '1'], { url });
      expect(few.out).toMatch(/^#3 .*\n.*\n.*\n\n$/);
    },
  );
});

test('a session is followed from what was said on, until somebody has enough', async () => {
  let say: (turn: SessionTurn) => void = () => undefined;
  await withFakeServer(
    (request, response) => {
      if (!request.url.includes('/events')) return answerJson(response, answerTo(request.url));
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      say = (one) =>
        void response.write(`id: ${one.seq}\nevent: turn\ndata: ${JSON.stringify(one)}\n\n`);
      response.write(': still here\n\n');
    },
    async ({ url, seen }) => {
      const silent = startCli(['transcript', 's1', '-f', '--after', '6', '-n', '1'], {
        url,
        isTerminal: true,
      });
      await until(() => silent.err().includes('waiting for what is said'));
      say(turn(7));
      expect((await silent.done).err).not.toContain('reading');
      seen.length = 0;
      const run = startCli(['transcript', 's1', '-f', '-n', '6'], { url });
      await until(() => seen.some((one) => one.url === '/api/sessions/s1/events'));
      expect(seen.at(-1)?.headers['last-event-id']).toBe('6');
      say(turn(7, { role: 'mark', text: '' }));
      say(turn(8, { text: 'and now?' }));
      expect((await run.done).out).toMatch(/word 4\n\n[^]*word 5\n\n#8 .*\nand now\?\n\n$/);
    },
  );
});

test('the words of an invocation are told by its id, also while it runs, and whoever has enough hangs up', async () => {
  const said = turnOf(1, { role: 'assistant', text: 'hello' });
  let isLeft = false;
  await withFakeServer(
    (request, response) => {
      if (!request.url.endsWith('/events'))
        return answerJson(response, { turns: [], nextAfter: null });
      response.on('close', () => (isLeft = true));
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`id: 1\nevent: turn\ndata: ${JSON.stringify(said)}\n\n`);
    },
    async ({ url, seen }) => {
      const none = await cli(['transcript', 'sub_1'], { url });
      expect(none).toMatchObject({ exitCode: 0, out: '', err: 'Nothing was said in it yet.\n' });
      const since = await cli(['transcript', 'sub_1', '--after', '3'], { url });
      expect(since.err).toBe('Nothing was said in it after #3 yet.\n');
      const live = await cli(['transcript', 'sub_1', '--follow', '--json', '-n', '1'], { url });
      expect(live.out).toBe(`${JSON.stringify(said)}\n`);
      // A stream that is left open would keep the command from ending.
      await until(() => isLeft);
      expect(seen.map((one) => one.url)).toEqual([
        '/api/subagents/sub_1/transcript?after=0',
        '/api/subagents/sub_1/transcript?after=3',
        '/api/subagents/sub_1/events',
      ]);
    },
  );
});
