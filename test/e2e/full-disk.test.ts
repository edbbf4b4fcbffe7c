/**
 * A disk without room, or one that takes no writes: nothing is accepted by halves, what is there can be
 * read, what runs goes on, and room is all that it takes to go on. Each over a bound on the server's
 * files, which every Linux allows, and over a small disk, where this machine lets us mount one.
 */
import { expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { homePaths } from '../../contract/home.ts';
import { entryFile } from '../../launcher/entry.ts';
import { startDetached } from '../../launcher/index.ts';
import { runners, untilFile } from './agents.ts';
import { cleanEnv } from './commands.ts';
import { crashConfig, untilAgents, untilGone, untilRunning } from './crash-fixture.ts';
import { withLoneServer, type LoneServer } from './lone-server.ts';
import { ask } from './requests.ts';
import { counts } from './rows.ts';
import { boundFiles, openDisk, testOnDisks, unboundFiles, type SmallDisk } from './small-disk.ts';
import { startStack, until } from './stack.ts';

const onDisk = testOnDisks('full disks, for which a bound on files stands');

const quiet = { port: 0, env: process.env, onProgress: () => {} };

interface Room {
  code: string;
  fill(server: LoneServer): void;
  free(server: LoneServer): void;
}

async function expectRefusedWhole(server: LoneServer, room: Room): Promise<void> {
  const { home, client } = server;
  const paths = homePaths(home);
  const wanted = { runnerId: 'sh', executionMode: 'ASYNC_POLL', prompt: 'x'.repeat(100_000) };
  const first = await ask(server, 'POST', '/api/subagents', { body: wanted });
  expect(first.status).toBe(202);
  const before = counts(home);

  room.fill(server);
  const key = { 'idempotency-key': 'asked while there was no room' };
  const context = { env: { PIN: 'y'.repeat(20_000) } };
  const bodies = [wanted, { ...wanted, context }, wanted, { ...wanted, context }];
  for (const body of bodies) {
    const refused = await ask(server, 'POST', '/api/subagents', { body, headers: key });
    expect([refused.status, refused.body.code]).toEqual([507, room.code]);
    expect(refused.body.hint).toContain('Nothing was accepted.');
  }
  expect(counts(home)).toEqual(before);
  expect(readdirSync(paths.secrets)).toEqual([]);
  expect((await client.call('getSubagent', { id: first.body.id })).status).toBe('pending');
  const backup = await ask(server, 'POST', '/api/backups', { body: {} });
  expect([backup.status, backup.body.code]).toEqual([500, 'backup_failed']);
  expect(existsSync(paths.backups) ? readdirSync(paths.backups) : []).toEqual([]);

  room.free(server);
  const body = { ...wanted, context };
  const accepted = await ask(server, 'POST', '/api/subagents', { body, headers: key });
  const again = await ask(server, 'POST', '/api/subagents', { body, headers: key });
  expect([accepted.status, again.status, again.body.id]).toEqual([202, 202, accepted.body.id]);
  expect(counts(home)['subagent_sessions']).toBe(before['subagent_sessions']! + 1);
  expect((await client.call('getHealth', {})).pid).toBe(server.pid);
}

test('files that cannot grow: what is asked is refused whole, reads go on, and it goes on by itself', async () => {
  await withLoneServer({ config: { runners } }, (server) =>
    expectRefusedWhole(server, {
      code: 'store_unwritable',
      fill: ({ pid }) => boundFiles(pid),
      free: ({ pid }) => unboundFiles(pid),
    }),
  );
});

onDisk('a full disk: the same', async () => {
  await withDisk(48, async (disk) => {
    await withLoneServer({ config: { runners }, folder: disk.folder }, (server) =>
      expectRefusedWhole(server, { code: 'disk_full', fill: disk.fill, free: disk.free }),
    );
  });
});

onDisk('a home on a read-only disk is refused at the start, in one line', async () => {
  await withDisk(48, async (disk) => {
    const home = join(disk.folder, 'home');
    const first = await startServer(home);
    expect(first.code).toBe(0);
    disk.mount('ro');
    const { said, code } = await startServer(home);
    expect(code).toBe(1);
    expect(said).toMatch(/"msg":"the home .* cannot be used: EROFS: /);
    expect(said.trim().split('\n')).toHaveLength(1);
  });
});

onDisk(
  'what runs while the disk is full goes on, and comes to its true end when there is room',
  async () => {
    await withDisk(160, async (disk) => {
      const outside = mkdtempSync(join(tmpdir(), 'work-'));
      const config = { runners, limits: { slots: 1 } };
      const stack = await startStack({ config, folder: disk.folder });
      try {
        const asked = { runnerId: 'sh', context: { workspacePath: outside } };
        const counting = `i=0; until [ -e go ]; do i=$((i+1)); echo line $i; sleep 0.05; done; echo last`;
        const running = await stack.start(counting, asked);
        const next = await stack.start(`${untilFile('go')}; echo next`, asked);
        await sleep(500);
        disk.fill();
        await sleep(3000);
        const refused = await ask(stack, 'POST', '/api/subagents', {
          body: { runnerId: 'sh', prompt: 'echo no', executionMode: 'ASYNC_POLL' },
        });
        expect([refused.status, refused.body.code]).toEqual([507, 'disk_full']);
        // Its ending is reported while there is no room: for the answer, for the spool, for anything.
        writeFileSync(join(outside, 'go'), '');
        await sleep(1500);
        disk.free();
        const [ended, after] = [await stack.ended(running.id, 60), await stack.ended(next.id, 60)];
        expect([ended.status, after.status]).toEqual(['completed', 'completed']);
        const lines = ended.result!.content.split('\n');
        expect(lines.at(-1)).toBe('last');
        expect(lines.slice(0, -1)).toEqual(lines.slice(0, -1).map((_, n) => `line ${n + 1}`));
        const told = (await stack.transcript(running.id)).filter(({ role }) => role === 'stdout');
        expect(
          told
            .map(({ text }) => text)
            .join('')
            .trimEnd(),
        ).toBe(ended.result!.content);
        const fresh = await stack.ended((await stack.start('echo fresh', asked)).id, 60);
        expect(fresh.result?.content).toBe('fresh');
      } finally {
        disk.free();
        await stack.stop();
        rmSync(outside, { recursive: true });
      }
    });
  },
  180_000,
);

onDisk(
  'what ends while the disk is full is started again when there is room, however often it was tried',
  async () => {
    await withDisk(160, async (disk) => {
      const timing = { delayMsMax: 300 };
      const config = { runners };
      const stack = await startStack({ config, folder: disk.folder, timing });
      try {
        const pids = () => [stack.pid('server'), stack.pid('engine'), stack.pid('host')];
        const before = pids();
        const cut = await stack.start('exec sleep 120', { runnerId: 'sh' });
        const agents = await untilAgents(stack.home, 1, cut.id);
        disk.fill();
        stack.kill('engine');
        await sleep(4000);
        // An engine that is away and a file that cannot be written cost the server nothing.
        expect(await stack.client.call('getHealth', {})).toMatchObject({
          pid: before[0],
          engine: { connected: false },
        });
        stack.kill('host');
        await sleep(2000);
        stack.kill('server');
        // Five deaths would be a crash loop, if they were its own.
        await sleep(3000);
        await expect(startDetached({ ...quiet, home: stack.home })).rejects.toMatchObject({
          code: 'home_unusable',
          hint: expect.stringContaining('started again by itself'),
        });
        disk.free();
        const { client } = stack;
        await until(
          () => client.call('getHealth', {}).catch(() => null),
          (health) => health?.status === 'ready' && health.engine.connected,
        );
        expect(pids().filter((pid) => before.includes(pid))).toEqual([]);
        // The next host knows what the one before has left.
        expect(await stack.ended(cut.id)).toMatchObject({ errorCode: 'outcome_unknown' });
        await untilGone(agents);
        const asked = await stack.start('echo back', { runnerId: 'sh' });
        expect((await stack.ended(asked.id)).result?.content).toBe('back');
      } finally {
        disk.free();
        await stack.stop();
      }
    });
  },
  120_000,
);

onDisk(
  'without room for longer than a lease the host ends what runs: it is lost, and told when there is room',
  async () => {
    await withDisk(160, async (disk) => {
      const limits = { ...crashConfig.limits, leaseMinutes: 0.05, killGraceSeconds: 1 };
      const stack = await startStack({ config: { ...crashConfig, limits }, folder: disk.folder });
      try {
        const prompt = 'if [ -e ran ]; then echo done; else : > ran; exec sleep 120; fi';
        const fails = await stack.start(prompt, { runnerId: 'sh' });
        const again = await stack.start(prompt, { runnerId: 'sh-again' });
        for (const { id } of [fails, again]) await untilRunning(stack.client, id);
        const agents = await untilAgents(stack.home, 2);
        const pids = [stack.pid('server'), stack.pid('host')];
        disk.fill();
        await untilGone(agents);
        // Nothing of it can be written yet, and nothing of it is said.
        expect((await stack.client.call('getSubagent', { id: fails.id })).status).toBe('running');
        disk.free();
        expect(await stack.ended(fails.id)).toMatchObject({ errorCode: 'outcome_unknown' });
        expect(await stack.ended(again.id)).toMatchObject({ result: { content: 'done' } });
        expect([stack.pid('server'), stack.pid('host')]).toEqual(pids);
      } finally {
        disk.free();
        await stack.stop();
      }
    });
  },
  120_000,
);

async function withDisk(megabytes: number, use: (disk: SmallDisk) => Promise<void>): Promise<void> {
  const disk = openDisk(megabytes);
  try {
    await use(disk);
  } finally {
    disk.remove();
  }
}

/** Until it has opened its port, or has ended by itself. */
async function startServer(home: string) {
  const child = spawn(process.execPath, [entryFile('api'), '--port', '0'], {
    env: cleanEnv({ OFFSHOOT_HOME: home }),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => void (said += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  let code: number | null | undefined;
  void ended.then((found) => (code = found));
  while (code === undefined && !existsSync(homePaths(home).serverFile)) await sleep(50);
  child.kill('SIGTERM');
  return { code: await ended, said };
}
