import { Readable } from 'node:stream';
import { expect, test } from '@jest/globals';
import { readPayload } from '../../cli/hook/read-payload.ts';
import { runHook } from '../../cli/hook/run-hook.ts';

const read = (...parts: (string | number[])[]) =>
  readPayload(Readable.from(parts.map((part) => Buffer.from(part as string))));
const mark = [0xef, 0xbb, 0xbf];

test('a payload is read behind a byte order mark, also one that comes in pieces', async () => {
  const payload = { prompt: '\ufeffhello' };
  const json = JSON.stringify(payload);
  expect(await read(json)).toEqual({ payload });
  expect(await read(mark, json)).toEqual({ payload });
  expect(await read([0xef], [0xbb], [0xbf], `\r\n${json}\r\n`)).toEqual({ payload });
});

test('what is no object is none behind a byte order mark, either', async () => {
  for (const parts of [[mark], [mark, mark, '{}'], [mark, '[]'], ['[]']]) {
    expect(await read(...parts)).toEqual({ problem: 'stdin is no JSON object' });
  }
  expect(await read()).toEqual({ problem: 'nothing came on stdin' });
});

test('a payload that names no session says that nothing of it is kept', async () => {
  for (const payload of ['{}', '{"prompt":"hi"}']) {
    const told = await runHook({
      args: ['UserPromptSubmit', '--harness', 'claude-code'],
      environment: { home: null, url: null, token: null, noHooks: null },
      now: Date.now,
      signal: new AbortController().signal,
      home: '/nowhere',
      stdin: Readable.from([Buffer.from(payload)]),
    });
    expect(told).toEqual({
      out: '',
      err: 'offshoot hook: the payload names no session, so nothing of it can be kept\n',
    });
  }
});
