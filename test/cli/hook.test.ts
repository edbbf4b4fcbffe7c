/** `offshoot hook`: what is sent, what is printed, and what is kept while no server takes it. */
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from '@jest/globals';
import { runHook, type HookOutput } from '../../cli/hook/run-hook.ts';
import { limits } from '../../contract/limits.ts';
import { copilotCliHooks } from '../../harnesses/copilot-cli/hooks.ts';
import { answerJson, answerProblem, type Answer } from '../client/fake-server.ts';
import { withFolder } from '../support/folder.ts';
import { argsFor, base, noVariables, withHookHome } from './hook-home.ts';

const nothing: HookOutput = { out: '', err: '' };
const ok: Answer = (_, response) => answerJson(response, { inject: 'Known: 42.' });

test("a prompt is sent in our names with the home's token, and answered in the program's form", () =>
  withHookHome(ok, async ({ hook, server, spooled }) => {
    const told = await hook({ session_id: 's', cwd: '/w', prompt: 'hi', permission_mode: 'plan' });
    expect(told).toEqual({
      out: '{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"Known: 42."}}\n',
      err: '',
    });
    const [seen] = server.seen;
    expect(seen).toMatchObject({ method: 'POST', url: '/api/hooks/user-prompt-submit' });
    expect(seen?.headers.authorization).toBe('Bearer the-token');
    expect(seen?.headers).not.toHaveProperty('x-offshoot-late-hook');
    expect(seen?.body).toEqual({
      harness: 'claude-code',
      sessionKey: 's',
      project: '/w',
      userMessage: 'hi',
      runtimePath: 'legacy',
      // What we know nothing of goes along.
      permission_mode: 'plan',
      at: '2026-11-18T00:00:00.000Z',
      idempotencyKey: expect.any(String),
    });
    expect(spooled()).toEqual([]);
  }));

test('a hook that says nothing to us is not sent', () =>
  withHookHome(ok, async ({ hook, server }) => {
    expect(await hook({ session_id: 's' }, argsFor('PreToolUse'))).toEqual(nothing);
    expect(server.seen).toEqual([]);
  }));

test.each([
  ['', 'nothing came on stdin'],
  ['{"session_id":', 'stdin is no JSON object'],
  ['[1]', 'stdin is no JSON object'],
  ['x'.repeat(limits.hookInputBytesMax + 1), 'the payload has more than 16777216 bytes'],
])('of a stdin that is no payload one line is told, and nothing is sent', (stdin, why) =>
  withHookHome(ok, async ({ hook, server, spooled }) => {
    expect(await hook(stdin)).toEqual({ out: '', err: `offshoot hook: ${why}\n` });
    expect(server.seen).toEqual([]);
    expect(spooled()).toEqual([]);
  }),
);

test.each([[['Stop']], [['--harness', 'codex']], [['Stop', '--harness', ' ']], [['Stop', '-x']]])(
  'of the words %j the usage is told',
  (args) =>
    withHookHome(ok, async ({ hook }) => {
      const { out, err } = await hook({}, { args });
      expect(out).toBe('');
      expect(err).toContain('usage: offshoot hook <event> --harness <name>');
    }),
);

test('without a server a hook is kept, for its user alone and with its time and key', () =>
  withHookHome(ok, async ({ folder, hook, server, spooled }) => {
    await server.stop();
    const told = await hook({ session_id: 's', prompt: 'hi' });
    expect(told.out).toBe('');
    expect(told.err).toMatch(/^offshoot hook: .*ECONNREFUSED.*; kept for later\n$/);
    const [name = ''] = spooled();
    const spool = join(folder, 'spool', 'hooks');
    expect(statSync(spool).mode & 0o777).toBe(0o700);
    expect(statSync(join(spool, name)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(join(spool, name), 'utf8'))).toMatchObject({
      event: 'user-prompt-submit',
      request: { at: '2026-11-18T00:00:00.000Z', idempotencyKey: expect.any(String) },
    });
    expect(readdirSync(spool)).toEqual([name]);
  }));

test('the next hook sends what waits before itself, in order, and prints its own answer alone', () =>
  withHookHome(answerByPrompt, async ({ hook, server, spooled }) => {
    await server.stop();
    for (const prompt of ['1', '2', '3']) await hook({ session_id: 's', prompt });
    const keys = spooled();
    expect(keys).toHaveLength(3);
    await server.start();
    const told = await hook({ session_id: 's', prompt: '4' });
    expect(JSON.parse(told.out)).toMatchObject({
      hookSpecificOutput: { additionalContext: 'Known: 4' },
    });
    expect(server.seen.map(({ body }) => body?.userMessage)).toEqual(['1', '2', '3', '4']);
    const isLate = server.seen.map(({ headers }) => headers['x-offshoot-late-hook'] === '1');
    expect(isLate).toEqual([true, true, true, false]);
    expect(new Set(server.seen.map(({ body }) => body?.idempotencyKey)).size).toBe(4);
    expect(spooled()).toEqual([]);
  }));

test('a server that does not answer holds a program up no longer than the limit', () =>
  withHookHome(
    () => undefined,
    async ({ folder, spooled }) => {
      const { answerMs: _, ...asItIs } = base;
      // It never answers, so whatever ends this is the limit, which is far below a test's own.
      const hook = () =>
        runHook({
          ...asItIs,
          home: folder,
          stdin: Readable.from([Buffer.from('{"session_id":"s"}')]),
        });
      expect((await hook()).out).toBe('');
      expect(spooled()).toHaveLength(1);
      // What waits goes first: this one does not overtake it.
      await hook();
      expect(spooled()).toHaveLength(2);
    },
  ));

test('a program that writes its transcript after it calls the hook is given that time, and no other is', () =>
  withHookHome(
    ({ body }, response) => {
      const path = String(body?.transcriptPath);
      answerJson(response, { inject: readFileSync(path, 'utf8') });
    },
    async ({ folder, hook }) => {
      const transcriptPath = join(folder, 'events.jsonl');
      const stop = async (harness: string, payload: object) => {
        writeFileSync(transcriptPath, 'begun');
        const timer = setTimeout(() => writeFileSync(transcriptPath, 'whole'), 100);
        const { out } = await hook(payload, { args: ['stop', '--harness', harness] });
        clearTimeout(timer);
        return (JSON.parse(out) as { reason: string }).reason;
      };
      expect(await stop('copilot-cli', { sessionId: 's', transcriptPath })).toBe('whole');
      const other = { session_id: 's', transcript_path: transcriptPath };
      expect(await stop('claude-code', other)).toBe('begun');
    },
  ));

test('a hook that its program ends is kept', () =>
  withHookHome(
    () => undefined,
    async ({ hook, spooled }) => {
      const over = AbortSignal.timeout(50);
      const begin = performance.now();
      await hook({ session_id: 's' }, { signal: over });
      const late = { sessionId: 's', transcriptPath: '/events.jsonl' };
      const args = ['stop', '--harness', 'copilot-cli'];
      await hook(late, { args, signal: over });
      expect(performance.now() - begin).toBeLessThan(base.answerMs);
      // Also while it gives its program the time to write: the fastest of some is over before that is.
      const took = [];
      for (let time = 0; time < 4; time += 1) {
        const again = performance.now();
        await hook(late, { args, signal: AbortSignal.timeout(20) });
        took.push(performance.now() - again);
      }
      expect(Math.min(...took)).toBeLessThan(copilotCliHooks.writesAfterMs!);
      expect(spooled()).toHaveLength(6);
    },
  ));

test.each([400, 403, 404, 409, 413, 422])(
  'a hook that the server refuses by %s is not kept',
  (status) =>
    withHookHome(
      (_, response) =>
        answerJson(response, { detail: "It is another one's.", code: 'forbidden' }, status),
      async ({ hook, spooled }) => {
        expect(await hook({ session_id: 's' })).toEqual({
          out: '',
          err: "offshoot hook: It is another one's.\n",
        });
        expect(spooled()).toEqual([]);
      },
    ),
);

test.each([401, 408, 429, 500, 503])('a hook that comes back with %s is kept', (status) =>
  withHookHome(
    (_, response) => answerJson(response, {}, status),
    async ({ hook, spooled }) => {
      expect((await hook({ session_id: 's' })).out).toBe('');
      expect(spooled()).toHaveLength(1);
    },
  ),
);

test.each([
  ['a page', 200, '<html>Sign in</html>'],
  ['a page that says that there is none', 404, '<html>Nothing here</html>'],
  ['a refusal of its own', 403, '{"error":"blocked"}'],
  ['a wish for other credentials', 401, ''],
])(
  'where something else answers in place of the server, with %s, the hook is kept',
  (_, status, text) =>
    withHookHome(
      (_request, response) => void response.writeHead(status).end(text),
      async ({ hook, spooled }) => {
        for (const prompt of ['1', '2']) {
          expect(await hook({ session_id: 's', prompt })).toMatchObject({
            out: '',
            err: expect.stringContaining('kept for later'),
          });
        }
        expect(spooled()).toHaveLength(2);
      },
    ),
);

test('a program is told what it is told also where its transcript is refused; why that is goes to stderr', () =>
  withHookHome(
    (_, response) =>
      answerJson(response, { inject: 'Known: 42.', transcriptRefused: 'It is elsewhere.' }),
    async ({ hook, server, spooled }) => {
      const told = await hook({ session_id: 's', prompt: 'hi', transcript_path: '/elsewhere' });
      expect(told.out).toContain('Known: 42.');
      expect(told.err).toBe('offshoot hook: all but its transcript is kept: It is elsewhere.\n');
      expect(server.seen.map(({ body }) => body?.transcriptOptional)).toEqual([true]);
      expect(spooled()).toEqual([]);
    },
  ));

test('a refused one that waited keeps nothing back', () =>
  withHookHome(refuseFirst, async ({ hook, server, spooled }) => {
    await server.stop();
    await hook({ session_id: 's', prompt: 'refused' });
    await hook({ session_id: 's', prompt: '2' });
    await server.start();
    await hook({ session_id: 's', prompt: '3' });
    expect(server.seen.map(({ body }) => body?.userMessage)).toEqual(['refused', '2', '3']);
    expect(spooled()).toEqual([]);
  }));

test('a file that is no hook any more is set aside, and those behind it are sent', () =>
  withHookHome(ok, async ({ folder, hook, server }) => {
    const spool = join(folder, 'spool', 'hooks');
    mkdirSync(spool, { recursive: true });
    writeFileSync(join(spool, '0000000000000001-aaaaaaaa-5.json'), '{"eve');
    await hook({ session_id: 's' });
    expect(server.seen).toHaveLength(1);
    expect(readdirSync(spool)).toEqual(['0000000000000001-aaaaaaaa-5.json.unreadable']);
  }));

test.each([
  ['bytes', [`0000000000000001-aaaaaaaa-${limits.hookSpoolBytesMax}.json`]],
  [
    'files',
    Array.from(
      { length: limits.hookSpoolFilesMax },
      (_, index) => `${String(index).padStart(16, '0')}-aaaaaaaa-0.json`,
    ),
  ],
])('a spool that is full of %s takes no more, and says so', (_, names) =>
  withHookHome(ok, async ({ folder, hook, server, spooled }) => {
    const spool = join(folder, 'spool', 'hooks');
    mkdirSync(spool, { recursive: true });
    for (const name of names) {
      writeFileSync(join(spool, name), '{"event":"stop","request":{}}');
    }
    await server.stop();
    expect((await hook({ session_id: 's' })).err).toContain('not kept: too many wait already');
    expect(spooled()).toHaveLength(names.length);
  }),
);

test.each([
  ['a server', true],
  ["a token for the home's server", false],
])('%s that the environment names has a spool of its own', (_what, hasUrl) =>
  withHookHome(ok, async ({ folder, hook, server, spooled }) => {
    const url = hasUrl ? server.url : null;
    const environment = { ...noVariables, url, token: "the child's" };
    await server.stop();
    await hook({ session_id: 's', prompt: 'as the child' }, { environment });
    expect(spooled()).toEqual([]);
    await server.start();
    await hook({ session_id: 's', prompt: 'as the home' });
    await hook({ session_id: 's', prompt: 'as the child again' }, { environment });
    expect(
      server.seen.map(({ headers, body }) => [headers.authorization, body?.userMessage]),
    ).toEqual([
      ['Bearer the-token', 'as the home'],
      ["Bearer the child's", 'as the child'],
      ["Bearer the child's", 'as the child again'],
    ]);
    expect(readdirSync(join(folder, 'spool')).join()).not.toContain('child');
  }),
);

test('a copy of a home does not report to the server of the other', () =>
  withHookHome(ok, ({ folder, hook, server }) =>
    withFolder(async (copy) => {
      writeFileSync(join(copy, 'server.json'), readFileSync(join(folder, 'server.json')));
      expect((await hook({ session_id: 's' }, { home: copy })).err).toContain(
        'no server is running: start it with `offshoot up`; kept',
      );
      expect(server.seen).toEqual([]);
    }),
  ));

test('where there is no home none is made', () =>
  withFolder(async (folder) => {
    const home = join(folder, 'none');
    const stdin = Readable.from([Buffer.from('{"session_id":"s1"}')]);
    const told = await runHook({ ...base, home, stdin });
    expect(told).toEqual({
      out: '',
      err: 'offshoot hook: no server is running: start it with `offshoot up`; not kept: there is no home\n',
    });
    expect(readdirSync(folder)).toEqual([]);
  }));

function answerByPrompt(...[{ body }, response]: Parameters<Answer>): void {
  answerJson(response, { inject: `Known: ${String(body?.userMessage)}` });
}

function refuseFirst(...[{ body }, response]: Parameters<Answer>): void {
  if (body?.userMessage === 'refused') answerProblem(response, 409, 'session_claimed');
  else answerJson(response, {});
}
