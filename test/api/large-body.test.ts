import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from '@jest/globals';
import { listen } from '../../api/listen.ts';
import { homePaths } from '../../contract/home.ts';
import { limits } from '../../contract/limits.ts';
import { withFolder } from '../support/folder.ts';
import { fakeApi, tokens } from './api-fixture.ts';

test.each([
  ['little', 1000],
  ['more than a socket brings at once', 300_000],
  ['megabytes', 5_000_000],
])('a body arrives byte for byte over a socket, in any script: %s', (_, chars) =>
  withApi(async ({ api, send }) => {
    for (const [nth, unit] of ['plain text ', 'Größe ', '日本 ', '😀 '].entries()) {
      const prompt = unit.repeat(chars / unit.length);
      expect((await send(JSON.stringify({ runnerId: 'demo', prompt }))).status).toBe(200);
      expect(api.asked[nth]!.input['prompt'] === prompt).toBe(true);
    }
  }),
);

test('a large body that is no UTF-8 is refused, and so is one that is no JSON', () =>
  withApi(async ({ api, send }) => {
    const body = Buffer.from(JSON.stringify({ runnerId: 'demo', prompt: 'é'.repeat(500_000) }));
    const broken = Buffer.from(body);
    broken[300_001] = 0xff;
    expect((await send(broken)).status).toBe(400);
    expect((await send(body.subarray(0, -1))).status).toBe(400);
    expect(api.asked).toEqual([]);
    expect((await send(body)).status).toBe(200);
  }));

test.each([
  ['values', '1,', '1]}'],
  ['objects', '{},', '1]}'],
  ['levels', '[', ''],
])('a large body of more %s than may be made of it is refused before they are', (_, unit, end) =>
  withApi(async ({ api, send }) => {
    const body = `{"runnerId":"demo","prompt":"x","a":[${unit.repeat((17 * 2 ** 20) / unit.length)}${end}`;
    const answer = await send(body);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      code: 'bad_request',
      detail: expect.stringContaining(`over ${limits.jsonValuesMax} values`),
    });
    expect(api.asked).toEqual([]);
  }),
);

test('a body of more fields than anybody sends is refused, and one of many is taken', () =>
  withApi(async ({ api, hook }) => {
    const fields = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`field ${at}`, at]));
    const answer = await hook({ harness: 'x', ...fields(limits.bodyFieldsMax) });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      detail: `The body has over ${limits.bodyFieldsMax} fields.`,
    });
    expect(api.asked).toEqual([]);
    expect((await hook({ harness: 'x', ...fields(limits.bodyFieldsMax - 1) })).status).toBe(200);
  }));

test('a large body that breaks off is nobody’s failure, and nothing is asked', () =>
  withApi(async ({ api, port, send }) => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    const head = [
      'POST /api/subagents HTTP/1.1',
      `host: 127.0.0.1:${port}`,
      `authorization: Bearer ${tokens.admin}`,
      'content-length: 5000000',
    ].join('\r\n');
    await new Promise((sent) => socket.write(`${head}\r\n\r\n${'x'.repeat(2_000_000)}`, sent));
    socket.destroy();
    expect((await send(JSON.stringify({ runnerId: 'demo', prompt: 'x' }))).status).toBe(200);
    expect(api.asked).toHaveLength(1);
    expect(api.logged).toEqual([]);
  }));

interface Room {
  api: ReturnType<typeof fakeApi>;
  port: number;
  send(body: string | Buffer): Promise<Response>;
  hook(body: object): Promise<Response>;
}

async function withApi(use: (room: Room) => Promise<void>): Promise<void> {
  await withFolder(async (home) => {
    const api = fakeApi();
    const at = { port: 0, address: '127.0.0.1' };
    const { port, close } = await listen(api.app.fetch, at, homePaths(home));
    const headers = { authorization: `Bearer ${tokens.admin}` };
    const post = (path: string, body: string | Buffer) =>
      fetch(`http://127.0.0.1:${port}/api/${path}`, {
        method: 'POST',
        headers,
        body: typeof body === 'string' ? body : new Uint8Array(body),
      });
    const send = (body: string | Buffer) => post('subagents', body);
    const hook = (body: object) => post('hooks/stop', JSON.stringify(body));
    try {
      await use({ api, port, send, hook });
    } finally {
      await close();
    }
  });
}
