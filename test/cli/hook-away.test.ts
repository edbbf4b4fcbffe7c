/** What `offshoot hook` says of a server that did not take it: a line, for whoever looks. */
import { expect, test } from '@jest/globals';
import { answerJson, type Answer } from '../client/fake-server.ts';
import { noVariables, withHookHome } from './hook-home.ts';

const prompt = { session_id: 's', prompt: 'hi' };
const inTwoLines: Answer = (_, response) =>
  void response.writeHead(503).end(JSON.stringify({ detail: 'One.\n  Two.' }));

test('a server that ends before it answers is told of as that', () =>
  withHookHome(
    (_, response) => void response.destroy(),
    async ({ hook, spooled }) => {
      const err = 'offshoot hook: the server broke off before it had answered; kept for later\n';
      expect(await hook(prompt)).toEqual({ out: '', err });
      expect(spooled()).toHaveLength(1);
    },
  ));

test('a server that is there and does not answer is told of as that', () => {
  const over = new AbortController();
  return withHookHome(
    () => over.abort(),
    async ({ hook, spooled }) => {
      const err = 'offshoot hook: the server did not answer in time; kept for later\n';
      expect(await hook(prompt, { signal: over.signal })).toEqual({ out: '', err });
      expect(spooled()).toHaveLength(1);
    },
  );
});

test('what went wrong is one line, also where somebody says it in several', () =>
  withHookHome(inTwoLines, async ({ hook }) => {
    const { err } = await hook(prompt);
    expect(err).toBe('offshoot hook: One. Two.; kept for later\n');
  }));

test('an error of TLS is one line, too', () =>
  withHookHome(
    (_, response) => answerJson(response, {}),
    async ({ hook, server }) => {
      const url = server.url.replace('http:', 'https:');
      const { err } = await hook(prompt, {
        environment: { ...noVariables, url, token: 'another' },
      });
      expect(err).toMatch(/^offshoot hook: [^\n]*EPROTO[^\n]*[^ \n]; kept for later\n$/);
    },
  ));
