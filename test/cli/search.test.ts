import { expect, test } from '@jest/globals';
import { answerJson, withFakeServer } from '../client/fake-server.ts';
import { renderHits } from '../../cli/render/hits.ts';
import { createStyle } from '../../cli/render/style.ts';
import { cli } from './cli-harness.ts';

const hit = {
  sessionKey: 'agent:main',
  project: '/work/here',
  updatedAt: '2026-01-01T00:00:00.000Z',
  excerpt: '…audit the\n\n \u001b[31mtrunk ports\u001b[0m',
  rank: -2,
  seq: 6,
  place: 6,
  turn: 4,
  role: 'user',
  at: '2026-01-01T00:00:00.000Z',
  offsets: [],
};

test('search shows where it was said, and the words around it, harmless', () =>
  withFakeServer(
    (_, response) => answerJson(response, { query: 'q', hits: [hit, hit], count: 2 }),
    async ({ url, seen }) => {
      const args = ['search', 'trunk', 'ports', '-p', '.', '-n', '5', '--by-session'];
      const run = await cli(args, { url, env: { AGENT_SESSION_ID: 'mine' } });
      expect(seen[0]).toMatchObject({ method: 'POST', url: '/api/sessions/search' });
      expect(seen[0]!.body).toEqual({
        query: 'trunk ports',
        currentSessionKey: 'mine',
        project: '/work/here',
        limit: 5,
        groupBy: 'session',
      });
      const one = 'agent:main  #6  user  1 h ago  /work/here\n  …audit the\n   trunk ports\n';
      expect(run).toMatchObject({ exitCode: 0, out: `${one}\n${one}`, err: '' });
    },
  ));

test('an answer that its program also printed is shown once, and in JSON as it is', () => {
  const excerpt = 'the trunk ports are fine';
  const hits = [
    { ...hit, seq: 2, role: 'stdout', excerpt: `${excerpt}\n` },
    { ...hit, seq: 3, role: 'assistant', excerpt },
    { ...hit, seq: 5, role: 'stdout', excerpt, sessionKey: 'agent:other' },
  ];
  return withFakeServer(
    (_, response) => answerJson(response, { query: 'q', hits, count: 3 }),
    async ({ url }) => {
      const { out } = await cli(['search', 'trunk'], { url });
      expect(out.match(/#\d {2}\w+/g)).toEqual(['#3  assistant', '#5  stdout']);
      const json = await cli(['search', 'trunk', '--json'], { url });
      expect(JSON.parse(json.out)).toEqual({ query: 'q', hits, count: 3 });
    },
  );
});

test('nothing found is told aside, and in JSON as it is', () =>
  withFakeServer(
    (_, response) => answerJson(response, { query: 'x', hits: [], count: 0 }),
    async ({ url }) => {
      const run = await cli(['search', 'x'], { url });
      expect(run).toMatchObject({ exitCode: 0, out: '', err: 'Nothing was found.\n' });
      const json = await cli(['search', 'x', '--json'], { url });
      expect(JSON.parse(json.out)).toEqual({ query: 'x', hits: [], count: 0 });
    },
  ));

test.each([
  ['trunk', 'the *trunks* of subtrunks'],
  ['東京 a 能', '私は*東京*都、機*能* a'],
  ['调用API接口', '*调用**API**接口*的时候'],
])('on a terminal the words of %j are bold: %s', (query, wanted) => {
  const excerpt = wanted.replaceAll('*', '');
  const shown = renderHits([{ ...hit, role: 'user', excerpt }], {
    style: createStyle(true),
    now: Date.parse(hit.at),
    query,
  });
  expect(
    shown
      .split('\n')[1]!
      .trim()
      .replace(/\u001b\[\d+m/g, '*'),
  ).toBe(wanted);
});
