import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { answerJson, answerProblem, withFakeServer, type Seen } from '../client/fake-server.ts';
import { withFolder } from '../support/folder.ts';
import { cli } from './cli-harness.ts';

const line = (value: object) => `${JSON.stringify(value)}\n`;
const head = (sessionKey: string, order: number[][] | null = null) =>
  line({ offshoot: 'session', version: 1, sessionKey, order });
const turn = (seq: number, text = `turn ${seq}`) => line({ seq, role: 'user', text });

/** Pages as the server gives them: each begins with the line about the session. */
const pages: Record<string, { jsonl: string; nextAfter: number | null }> = {
  '0': { jsonl: head('s1') + turn(1) + turn(2), nextAfter: 2 },
  '2': { jsonl: head('s1') + turn(3), nextAfter: 3 },
  '3': { jsonl: head('s1', [[1, 2]]) + turn(4), nextAfter: null },
};
const whole = head('s1') + turn(1) + turn(2) + turn(3) + head('s1', [[1, 2]]) + turn(4);

const exporting = ({ url }: Seen) => pages[new URL(url, 'http://x').searchParams.get('after')!]!;

test('export prints all pages, with the line about the session once and where it has changed', () =>
  withFakeServer(
    (request, response) => answerJson(response, exporting(request)),
    async ({ url, seen }) => {
      const run = await cli(['export', 's1', '--agent', 'alice'], { url });
      expect(run).toMatchObject({ exitCode: 0, out: whole, err: '' });
      expect(seen.map((one) => one.url)).toEqual(
        ['0', '2', '3'].map((after) => `/api/sessions/s1/export?agentId=alice&after=${after}`),
      );
    },
  ));

test('export --raw asks for the words as they were reported', () =>
  withFakeServer(
    (request, response) => answerJson(response, exporting(request)),
    async ({ url, seen }) => {
      expect(await cli(['export', 's1', '--raw'], { url })).toMatchObject({ out: whole });
      expect(seen[0]!.url).toBe('/api/sessions/s1/export?raw=true&after=0');
    },
  ));

test('export makes a file for its owner alone, replaces none, and leaves none of what is not there', () =>
  withFolder((cwd) =>
    withFakeServer(
      (request, response) =>
        request.url.includes('s1')
          ? answerJson(response, exporting(request))
          : answerProblem(response, 404, 'not_found'),
      async ({ url }) => {
        const file = join(cwd, 's1.jsonl');
        const run = await cli(['export', 's1', '--out', 's1.jsonl'], { url, cwd });
        expect(run).toMatchObject({ exitCode: 0, out: '', err: `s1 is in ${file}\n` });
        expect(readFileSync(file, 'utf8')).toBe(whole);
        expect(statSync(file).mode & 0o777).toBe(0o600);
        writeFileSync(file, 'mine');
        expect(await cli(['export', 's1', '-o', file], { url })).toMatchObject({ exitCode: 2 });
        expect(readFileSync(file, 'utf8')).toBe('mine');
        const other = join(cwd, 's2.jsonl');
        expect(await cli(['export', 's2', '-o', other], { url })).toMatchObject({ exitCode: 3 });
        expect(statSync(other, { throwIfNoEntry: false })).toBeUndefined();
      },
    ),
  ));

test('an export that breaks off leaves no half file', () =>
  withFolder((cwd) =>
    withFakeServer(
      (request, response) =>
        request.url.endsWith('after=0')
          ? answerJson(response, pages['0'])
          : answerProblem(response, 404, 'not_found'),
      async ({ url }) => {
        const run = await cli(['export', 's1', '-o', 's1.jsonl'], { url, cwd });
        expect(run).toMatchObject({ exitCode: 3 });
        expect(statSync(join(cwd, 's1.jsonl'), { throwIfNoEntry: false })).toBeUndefined();
      },
    ),
  ));

/** As many as came, and none known. */
const taken = ({ body }: Seen) => {
  const [first, ...turns] = String(body!['jsonl']).trimEnd().split('\n');
  const { sessionKey } = JSON.parse(first!) as { sessionKey: string };
  return { sessionKey, agentId: body!['agentId'] ?? 'a', added: turns.length, known: 0 };
};

test('import takes several sessions from standard input or a file, each page with its own line before it', () =>
  withFolder((cwd) =>
    withFakeServer(
      (request, response) => answerJson(response, taken(request)),
      async ({ url, seen }) => {
        const given = `${whole}\n${head('s2')}${turn(1)}`;
        const run = await cli(['import', '--agent', 'bob'], { url, stdin: given });
        expect(run).toMatchObject({
          exitCode: 0,
          out: 's1 of bob: 4 turns added, 0 known\ns2 of bob: 1 turns added, 0 known\n',
        });
        expect(seen.map(({ body }) => body)).toEqual([
          { agentId: 'bob', jsonl: head('s1') + turn(1) + turn(2) + turn(3) },
          { agentId: 'bob', jsonl: head('s1', [[1, 2]]) + turn(4) },
          { agentId: 'bob', jsonl: head('s2') + turn(1) },
        ]);
        writeFileSync(join(cwd, 'in.jsonl'), head('s3'));
        const json = await cli(['import', 'in.jsonl', '--json'], { url, cwd });
        expect(JSON.parse(json.out)).toEqual({
          sessions: [{ sessionKey: 's3', agentId: 'a', added: 0, known: 0 }],
        });
        expect(seen[3]!.body).toEqual({ jsonl: head('s3') });
      },
    ),
  ));

test('a long import goes in several requests, each of which the server can hold', () =>
  withFakeServer(
    (request, response) => answerJson(response, taken(request)),
    async ({ url, seen }) => {
      const long = Array.from({ length: 12 }, (_, at) => turn(at + 1, 'x'.repeat(1_000_000)));
      const run = await cli(['import', '-'], { url, stdin: head('s1') + long.join('') });
      expect(run.out).toBe('s1 of a: 12 turns added, 0 known\n');
      const sent = seen.map(({ body }) => String(body!['jsonl']));
      expect(sent.length).toBeGreaterThan(2);
      for (const one of sent) {
        expect(one.startsWith(head('s1'))).toBe(true);
        expect(one.length).toBeLessThan(5_000_000);
      }
    },
  ));

test.each([
  ['', 'offshoot: There is nothing to import.\n'],
  ['{"seq":1}\n', 'offshoot: Line 1 is not how an export begins.\n'],
])('what is no export is refused before anything is asked: %j', (stdin, err) =>
  withFakeServer(
    (request, response) => answerJson(response, taken(request)),
    async ({ url, seen }) => {
      const run = await cli(['import'], { url, stdin });
      expect(run).toMatchObject({ exitCode: 2, out: '' });
      expect(run.err).toContain(err);
      expect(seen).toEqual([]);
    },
  ),
);

test('import names a file that is not there, and asks nobody at a terminal', () =>
  withFakeServer(
    (request, response) => answerJson(response, taken(request)),
    async ({ url, seen }) => {
      const missing = await cli(['import', '/nonexistent/x.jsonl'], { url });
      expect(missing).toMatchObject({ exitCode: 2 });
      expect(missing.err).toContain('/nonexistent/x.jsonl cannot be read');
      expect(await cli(['import'], { url, isTerminal: true })).toMatchObject({ exitCode: 2 });
      expect(seen).toEqual([]);
    },
  ));

test('until all of it is there an export has a name of its own, also of two at once', () =>
  withFolder((cwd) => {
    const seenThen: string[][] = [];
    return withFakeServer(
      (request, response) => {
        seenThen.push(readdirSync(cwd));
        answerJson(response, exporting(request));
      },
      async ({ url }) => {
        writeFileSync(join(cwd, 's1.jsonl.part'), 'mine');
        const runs = await Promise.all(
          [1, 2].map(() => cli(['export', 's1', '-o', 's1.jsonl'], { url, cwd })),
        );
        expect(runs.map(({ exitCode }) => exitCode).toSorted()).toEqual([0, 2]);
        const parts = seenThen.flat().filter((name) => /^s1\.jsonl\.\w+\.part$/.test(name));
        expect(parts).not.toEqual([]);
        expect(readdirSync(cwd).toSorted()).toEqual(['s1.jsonl', 's1.jsonl.part']);
        expect(readFileSync(join(cwd, 's1.jsonl.part'), 'utf8')).toBe('mine');
        expect(readFileSync(join(cwd, 's1.jsonl'), 'utf8')).toBe(whole);
        expect(statSync(join(cwd, 's1.jsonl')).mode & 0o777).toBe(0o600);
      },
    );
  }));

test('an export takes the place of no file, also of one that was made meanwhile', () =>
  withFolder((cwd) =>
    withFakeServer(
      (request, response) => {
        if (request.url.endsWith('after=3')) writeFileSync(join(cwd, 's1.jsonl'), 'mine');
        answerJson(response, exporting(request));
      },
      async ({ url }) => {
        const run = await cli(['export', 's1', '-o', 's1.jsonl'], { url, cwd });
        expect(run).toMatchObject({ exitCode: 2 });
        expect(run.err).toContain('it is there already\n  Name a new file.');
        expect(readFileSync(join(cwd, 's1.jsonl'), 'utf8')).toBe('mine');
        expect(readdirSync(cwd)).toEqual(['s1.jsonl']);
      },
    ),
  ));

test('an export into a folder that is not there says so', () =>
  withFolder((cwd) =>
    withFakeServer(
      (request, response) => answerJson(response, exporting(request)),
      async ({ url }) => {
        const run = await cli(['export', 's1', '-o', 'no/s1.jsonl'], { url, cwd });
        expect(run).toMatchObject({ exitCode: 2 });
        expect(run.err).toContain('its folder is not there\n  Make the folder first.');
      },
    ),
  ));

test('a line that the server refuses is told by its number in the file, and what to do', () =>
  withFakeServer(
    ({ body }, response) => {
      const sent = String(body!['jsonl']).split('\n');
      const at = sent.findIndex((one) => one.includes('wrong'));
      if (at === -1) return answerJson(response, taken({ body } as Seen));
      const problem = {
        ...{ type: 'about:blank', title: 'x', status: 400, code: 'bad_request' },
        detail: `jsonl: line ${at + 1} is not one of an export: it is not JSON`,
        hint: 'Export the session once more.',
      };
      response.writeHead(400, { 'content-type': 'application/problem+json' });
      response.end(JSON.stringify(problem));
    },
    async ({ url }) => {
      const lines = Array.from({ length: 9 }, (_, at) => turn(at + 1, 'x'.repeat(1_000_000)));
      const given = ['\n', head('s1'), ...lines.slice(0, 7), '\n', '{"wrong\n', ...lines.slice(7)];
      const run = await cli(['import'], { url, stdin: given.join('') });
      expect(run).toMatchObject({ exitCode: 2, out: '' });
      expect(run.err).toBe(
        'offshoot: jsonl: line 11 is not one of an export: it is not JSON\n  Export the session once more.\n',
      );
    },
  ));

test('a line that is too long for the server is told by its number, and how it can be taken', () =>
  withFakeServer(
    (_, response) => answerProblem(response, 413, 'body_too_large'),
    async ({ url }) => {
      const run = await cli(['import'], { url, stdin: head('s1') + turn(1) });
      expect(run.err).toContain('Line 2 is longer than a server takes.\n  Set "raw"');
    },
  ));

test('a folder is no file to import', () =>
  withFolder((cwd) =>
    withFakeServer(
      (request, response) => answerJson(response, taken(request)),
      async ({ url }) => {
        for (const [name, why] of [
          ['.', 'it is a folder'],
          ['no.jsonl', 'it is not there'],
        ]) {
          const run = await cli(['import', name!], { url, cwd });
          expect(run).toMatchObject({ exitCode: 2 });
          expect(run.err).toContain(`cannot be read: ${why}\n  Name a file that`);
        }
      },
    ),
  ));
