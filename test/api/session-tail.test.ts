/** The live events of a session on a real server, while its program reports by hooks and readers come and go. */
import { expect, test } from '@jest/globals';
import { readMessages } from '../../client/sse.ts';
import { watchSession } from '../../operations/index.ts';
import { line } from '../operations/hooks/hooks-fixture.ts';
import { withRealApi, type Api } from './real-api.ts';

interface Told {
  id: number;
  role: string;
  text: string;
}

/** Reads up to the turn of this number, and breaks the connection off, whatever is under way. */
async function read(
  { url, token }: Api,
  { after, until, query }: { after: number; until: number; query?: string },
): Promise<Told[]> {
  const leave = new AbortController();
  const response = await fetch(`${url}/api/sessions/s1/events${query ?? ''}`, {
    headers: {
      authorization: `Bearer ${token({ role: 'admin' })}`,
      ...(after > 0 && { 'last-event-id': `${after}` }),
    },
    signal: leave.signal,
  });
  expect(response.status).toBe(200);
  const told: Told[] = [];
  for await (const { id, event, data } of readMessages(response)) {
    expect(event).toBe('turn');
    const { seq, role, text } = JSON.parse(data) as { seq: number; role: string; text: string };
    expect(id).toBe(`${seq}`);
    told.push({ id: seq, role, text });
    if (seq >= until) break;
  }
  leave.abort();
  return told;
}

const prompts = 60;

/** As a program does, by all that tells turns: each hook waits for the one before, and none for those who read. */
async function report(api: Api, meanwhile: (n: number) => void): Promise<void> {
  const token = api.token({ role: 'admin' });
  let transcript = '';
  const hook = async (name: string, more: object) => {
    const body = { harness: 'claude-code', sessionKey: 's1', ...more };
    const { status, text } = await api.http(token, 'POST', `/api/hooks/${name}`, { body });
    if (status !== 200) throw new Error(text);
  };
  for (let n = 1; n <= prompts; n += 1) {
    const [userMessage, lastAssistantMessage] = [`question ${n}`, `answer ${n}`];
    meanwhile(n);
    await hook('user-prompt-submit', { userMessage });
    transcript += line('user', userMessage) + line('assistant', lastAssistantMessage);
    // The last words by themselves, or all that was said so far.
    await hook('stop', n % 3 === 0 ? { transcript } : { lastAssistantMessage });
    if (n % 10 === 0) await hook('compaction-complete', { summary: `summary ${n}` });
  }
  await hook('session-end', { reason: 'exit' });
}

test('who follows a session is told each of its turns once and in order, also who breaks off and comes back', () =>
  withRealApi(async (api) => {
    await api.ask('hookSessionStart', { harness: 'claude-code', sessionKey: 's1' });
    const said = ['question', 'answer'];
    const turns = 1 + prompts * said.length + prompts / 10 + 1;
    const whole = read(api, { after: 0, until: turns });
    const broken = (async () => {
      const told: Told[] = [];
      // A browser repeats its first query: what it has seen goes further.
      for (let parts = 1; told.length < turns; parts += 1) {
        const after = told.at(-1)?.id ?? 0;
        const until = Math.min(turns, after + (parts % 7) + 1);
        told.push(...(await read(api, { after, until, query: '?after=0' })));
      }
      return told;
    })();
    // They are told what is there while more comes.
    const later: Promise<Told[]>[] = [];
    await report(api, (n) => {
      if (n % 5 === 0) later.push(read(api, { after: n, until: turns, query: '?after=2' }));
    });

    const told = await whole;
    expect(told.map(({ id }) => id)).toEqual(Array.from({ length: turns }, (_, n) => n + 1));
    const { jsonl } = await api.ask('exportSession', { key: 's1' });
    const kept = jsonl.trimEnd().split('\n').slice(1);
    expect(told).toEqual(
      kept.map((one) => {
        const { seq, role, text } = JSON.parse(one) as Told & { seq: number };
        return { id: seq, role, text };
      }),
    );
    for (const [n, word] of said.entries()) {
      const role = n === 0 ? 'user' : 'assistant';
      expect(told.filter((turn) => turn.role === role).map(({ text }) => text)).toEqual(
        Array.from({ length: prompts }, (_, at) => `${word} ${at + 1}`),
      );
    }
    expect(await broken).toEqual(told);
    for (const [n, one] of later.entries()) {
      expect(await one).toEqual(told.slice(5 * (n + 1)));
    }
  }));

test('what comes while a slow reader is told what was there is told behind that', () =>
  withRealApi(async ({ ask, deps, admin }) => {
    const prompt = (n: number) =>
      ask('hookUserPromptSubmit', {
        ...{ harness: 'claude-code', sessionKey: 's1', userMessage: `question ${n}` },
      });
    for (let n = 1; n <= 3; n += 1) await prompt(n);
    const told: string[] = [];
    for await (const { id, data } of watchSession(deps, admin, { key: 's1', after: 0 })) {
      told.push(`${id} ${data.text}`);
      if (told.length === 12) break;
      if (told.length <= 9) await prompt(3 + told.length);
    }
    expect(told).toEqual(Array.from({ length: 12 }, (_, n) => `${n + 1} question ${n + 1}`));
  }));
