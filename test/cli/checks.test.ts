import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { homePaths } from '../../contract/home.ts';
import type { Health } from '../../contract/records.ts';
import { answerJson, withFakeServer } from '../client/fake-server.ts';
import { cli } from './cli-harness.ts';

async function withHome<T>(use: (home: string) => Promise<T>): Promise<T> {
  const home = mkdtempSync(join(tmpdir(), 'offshoot-home-'));
  try {
    return await use(home);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

const health: Health = {
  status: 'ready',
  version: '0.1.0',
  homeId: 'h',
  pid: 7,
  startedAt: '2026-01-01T00:00:00.000Z',
  engine: {
    connected: true,
    address: '127.0.0.1:7233',
    namespace: 'default',
    uiUrl: 'http://127.0.0.1:8233',
    serverVersion: '1.31.2',
    problem: null,
  },
  hosts: [
    {
      id: 'local',
      hostname: 'box',
      pid: 8,
      live: true,
      slots: 4,
      busy: 2,
      lastSeenAt: '2026-01-01T00:00:00.000Z',
    },
  ],
  invocations: { running: 2 },
  outbox: { rows: 0, oldestSeconds: null },
};

test('config check names file and key, and exits with 2; show and path need no server', async () => {
  await withHome(async (home) => {
    const file = homePaths(home).configFiles[0];
    expect(await cli(['config', 'path'], { home })).toMatchObject({
      exitCode: 0,
      out: `${file}\n`,
    });
    writeFileSync(file, 'runners:\n  lint:\n    kind: command\n    command: eslint\n');
    const good = await cli(['config', 'check'], { home });
    expect(good).toMatchObject({ exitCode: 0, out: `${file}: ok, runners: lint\n` });
    const shown = await cli(['config', 'show'], { home });
    expect(shown.out).toContain('promptVia: stdin');
    writeFileSync(file, 'runners:\n  lint:\n    kind: command\n    comand: eslint\n');
    const bad = await cli(['config', 'check'], { home });
    expect(bad).toMatchObject({ exitCode: 2, out: '' });
    expect(bad.err).toContain(file);
    expect(bad.err).toContain('runners.lint.comand: is not a known key');
    const json = await cli(['config', 'check', '--json'], { home });
    expect(JSON.parse(json.err)).toMatchObject({ error: { code: 'config_invalid' } });
  });
});

test('up with a mistake in the configuration exits with 2 before anything is started', async () => {
  await withHome(async (home) => {
    const file = homePaths(home).configFiles[0];
    writeFileSync(file, 'runners:\n  lint:\n    kind: command\n    comand: eslint\n');
    for (const args of [['up'], ['up', '--detach']]) {
      expect(await cli(args, { home })).toMatchObject({
        exitCode: 2,
        out: '',
        err:
          `offshoot: ${file}: runners.lint.command: is missing: it must be the program to run: a name on the PATH, or a path\n` +
          '  There is 1 more mistake in it: offshoot config check\n',
      });
    }
    expect(readdirSync(home)).toEqual(['config.yaml']);
  });
});

test('up --detach on a port that is taken names who holds it, and exits with 5', async () => {
  await withHome(async (home) => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const { exitCode, err } = await cli(['up', '--detach', '--port', String(port)], { home });
    other.close();
    expect(exitCode).toBe(5);
    expect(err.split('\n')).toEqual([
      expect.stringMatching(`^offshoot: port ${port} is taken by .*pid ${process.pid}$`),
      '  End that program, or choose another port: offshoot up --port 0 picks a free one.',
      '',
    ]);
    expect(readdirSync(home)).toEqual([]);
  });
});

test('without a server every question exits with 4 and says how to start one', async () => {
  await withHome(async (home) => {
    for (const args of [['list'], ['get', 'x'], ['runners'], ['run', 'demo', 'x']]) {
      const run = await cli(args, { home });
      expect(run.exitCode).toBe(4);
      expect(run.err).toBe(
        `offshoot: No server is running on ${home}.\n  Start it with \`offshoot up\`.\n`,
      );
    }
  });
});

test('doctor is content only when all is well', async () => {
  let answer = health;
  await withHome(async (home) => {
    writeFileSync(homePaths(home).token, 'x', { mode: 0o600 });
    await withFakeServer(
      (request, response) =>
        answerJson(response, request.url === '/api/health' ? answer : { runners: [] }),
      async ({ url }) => {
        const well = await cli(['doctor'], { url, home });
        expect(well.exitCode).toBe(0);
        expect(well.out).toContain('All is well.');

        chmodSync(homePaths(home).token, 0o644);
        writeFileSync(homePaths(home).configFiles[1], '{"runers":{}}');
        answer = { ...health, outbox: { rows: 3, oldestSeconds: 90 }, hosts: [] };
        const ill = await cli(['doctor'], { url, home });
        expect(ill.exitCode).toBe(1);
        expect(ill.out).toContain('✗ runner hosts   none is live');
        expect(ill.out).toContain('3 waiting to reach the engine, the oldest for 1 min 30 s');
        expect(ill.out).toContain(`others can read ${homePaths(home).token} (0644)`);
        expect(ill.out).toContain(`chmod 0600 '${homePaths(home).token}'`);
        expect(ill.out).toContain('runers: is not a known key');
        expect(ill.out).toContain('4 of 7 need attention.');

        answer = { ...health, engine: { ...health.engine, connected: false, problem: 'refused' } };
        const json = await cli(['doctor', '--json'], { url, home });
        expect(json.exitCode).toBe(4);
        expect(JSON.parse(json.out)).toMatchObject({ ok: false });
      },
    );
    const { serverFile, token: tokenFile } = homePaths(home);
    const temporal = { address: null, namespace: 'default', uiUrl: null };
    const left = { url: 'http://127.0.0.1:1', pid: 1, tokenFile, temporal };
    const startedAt = Date.now();
    writeFileSync(serverFile, JSON.stringify(left));
    expect((await cli(['doctor'], { home })).out).toContain('does not answer');
    expect(Date.now() - startedAt).toBeLessThan(2_000);
    rmSync(serverFile);
    const alone = await cli(['doctor'], { home });
    expect(alone.exitCode).toBe(4);
    expect(alone.out).toContain('→ Start it with `offshoot up`.');
  });
});
