/** What an older boot of a host has left on disk, and a server that does not simply take it. */
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { AppError, type RequestErrorCode } from '../../contract/errors.ts';
import { flushLeftSpools } from '../../worker/host/flush-left-spools.ts';
import { startRunnerHost } from '../../worker/host/runner-host.ts';
import { leftSpools, openSpool } from '../../worker/host/spool.ts';
import { createStoreApi } from '../../worker/host/store-api.ts';
import { succeeded } from '../operations/test-host.ts';
import { withFolder } from '../support/folder.ts';

const key = { bootId: 'older', invocationId: 'sub_1', runNo: 1 };
const ending = { type: 'outcome', n: 1, outcome: succeeded('the answer') } as const;

/** A folder with one answer in it. */
const withLeft = (use: (folder: string) => Promise<void>) =>
  withFolder(async (home) => {
    const folder = join(home, 'spool');
    openSpool(folder, key).append([ending], { durable: false });
    await use(folder);
  });

const refusing = (code: RequestErrorCode) => () => Promise.reject(new AppError(code, 'no'));

interface Answer {
  status: number;
  body: object;
}

/** Who answers at the server's address; the last answer is given again and again. */
async function withAnswers(
  answers: Answer[],
  use: (api: ReturnType<typeof createStoreApi>, asked: () => number) => Promise<void>,
): Promise<void> {
  let asked = 0;
  const server = createServer((_, response) => {
    const { status, body } = answers[Math.min(asked, answers.length - 1)]!;
    asked += 1;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    await use(
      createStoreApi(() => ({ url: `http://127.0.0.1:${port}`, token: 'token' })),
      () => asked,
    );
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

const taken = { status: 200, body: { held: true, status: 'completed' } };
const gateway = { status: 502, body: { message: 'bad gateway' } };

test('a gateway that answers for a server that is away is no refusal, however often it says so', async () => {
  await withLeft(async (folder) => {
    const lines: string[] = [];
    await withAnswers([...Array.from({ length: 70 }, () => gateway), taken], async (api, asked) => {
      const { signal } = new AbortController();
      const log = (line: string) => lines.push(line);
      await flushLeftSpools({ api, hostId: 'far', folder, signal, log });
      expect(asked()).toBe(71);
    });
    expect(leftSpools(folder)).toEqual([]);
    expect(lines).toEqual([]);
  });
}, 30_000);

test('what the server fails at each time does not keep the host from starting, and stays for the next start', async () => {
  await withLeft(async (folder) => {
    const lines: string[] = [];
    const { signal } = new AbortController();
    const log = (line: string) => lines.push(line);
    await flushLeftSpools({
      api: { report: refusing('internal') },
      ...{ hostId: 'far', folder, signal, log },
    });
    expect(leftSpools(folder)).toEqual([key]);
    expect(lines).toEqual([expect.stringContaining('sub_1/1 is left on disk')]);
  });
}, 30_000);

test('what the disk does not give back stays there, too', async () => {
  await withFolder(async (folder) => {
    // Reading it fails, as it does on a disk that is failing.
    mkdirSync(join(folder, 'older~sub_1~1.jsonl'));
    const { signal } = new AbortController();
    const api = { report: refusing('stale_claim') };
    const lines: string[] = [];
    const log = (line: string) => lines.push(line);
    await flushLeftSpools({ api, hostId: 'far', folder, signal, log });
    expect(leftSpools(folder)).toEqual([key]);
    expect(lines).toEqual([expect.stringContaining('left on disk')]);
  });
});

test('what no run of the store is reported by any more goes', async () => {
  await withLeft(async (folder) => {
    const { signal } = new AbortController();
    const api = { report: refusing('stale_claim') };
    await flushLeftSpools({ api, hostId: 'far', folder, signal, log: () => {} });
    expect(leftSpools(folder)).toEqual([]);
  });
});

test('a host that somebody has started ends with the refusal of its token, also where an answer is left, and keeps that', async () => {
  await withLeft(async (folder) => {
    const refuse = refusing('unauthorized');
    const host = startRunnerHost({
      api: { hello: refuse, sync: refuse, claim: refuse, report: refuse },
      ...{ hostId: 'far', bootId: 'new', hostname: 'here', pid: 1, slots: () => 1 },
      ...{ folder: join(folder, '..'), folderMark: 'here', engine: null, endsWhenRefused: true },
      runProgram: () => Promise.reject(new Error('nothing is run here')),
      ...{ sweep: async () => {}, killGraceMs: () => 0, log: () => {} },
    });
    const timer = setTimeout(() => host.stop(), 5000);
    await expect(host.ended).rejects.toMatchObject({ code: 'unauthorized' });
    expect(leftSpools(folder)).toEqual([key]);
    clearTimeout(timer);
  });
});
