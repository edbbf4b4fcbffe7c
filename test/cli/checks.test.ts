import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { tellTrouble } from '../../cli/tell-trouble.ts';
import { homePaths } from '../../contract/home.ts';
import type { Health } from '../../contract/system-records.ts';
import { writePidFile } from '../../engine/pid-file.ts';
import { identifyProcess, type ProcessId } from '../../engine/process-identity.ts';
import { answerJson, recordOf, withFakeServer } from '../client/fake-server.ts';
import { cli, writeServerFile } from './cli-harness.ts';

async function withHome<T>(use: (home: string) => Promise<T>): Promise<T> {
  const home = mkdtempSync(join(tmpdir(), 'offshoot-home-'));
  try {
    return await use(home);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

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

test('nor is a launcher waited for that can start nothing with it', async () => {
  await withHome(async (home) => {
    const { configFiles, launcherFile } = homePaths(home);
    writeFileSync(configFiles[0], 'limits: { slotz: 3 }\n');
    writePidFile(launcherFile, identifyProcess(process.pid)!);
    const { exitCode, err } = await cli(['up', '--detach'], { home });
    expect([exitCode, err]).toEqual([2, expect.stringContaining('limits.slotz')]);
  });
});

test('up with a Temporal that nobody understands exits with 2 before anything is started', async () => {
  await withHome(async (home) => {
    const env = { TEMPORAL_PROFILE: 'nope', HOME: home };
    for (const args of [
      ['up', '--port', '0'],
      ['up', '--detach'],
      ['engine', 'status'],
    ]) {
      const { exitCode, out, err } = await cli(args, { home, env });
      expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' });
      expect(err.split('\n')).toEqual([
        "offshoot: the Temporal that is named cannot be used: Profile 'nope' not found in config data",
        expect.stringContaining('TEMPORAL_PROFILE: correct that'),
        '',
      ]);
    }
    const { out } = await cli(['doctor'], { home, env });
    expect(out).toMatch(/✗ engine +the Temporal that is named cannot be used/);
  });
});

test('engine status tells of the Temporal that is named', async () => {
  await withHome(async (home) => {
    const run = await cli(['engine', 'status'], {
      ...{ home, env: { TEMPORAL_ADDRESS: '127.0.0.1:9', HOME: home } },
    });
    expect(run).toMatchObject({
      exitCode: 4,
      out: 'unhealthy\n  named      127.0.0.1:9: it does not answer\n  namespace  default\n',
    });
  });
});

test('engine status knows the Temporal of a stack that was started in another shell', async () => {
  const engine = {
    ...{ connected: true, address: '10.0.0.1:7233', namespace: 'agents' },
    ...{ uiUrl: null, serverVersion: '1.31.2', problem: null },
  };
  let answer: Health = { ...health, engine };
  await withFakeServer(
    (_, response) => answerJson(response, answer),
    ({ url }) =>
      withHome(async (home) => {
        writeServerFile(home, { url, pid: process.pid });
        const status = (...more: string[]) => cli(['engine', 'status', ...more], { home });
        expect(await status()).toMatchObject({
          exitCode: 0,
          out: 'healthy\n  named      10.0.0.1:7233, version 1.31.2\n  namespace  agents\n',
        });
        expect(JSON.parse((await status('--json')).out)).toEqual({
          state: 'healthy',
          file: null,
          named: {
            ...{ address: '10.0.0.1:7233', namespace: 'agents' },
            ...{ serverVersion: '1.31.2', problem: null },
          },
        });
        answer = { ...health, engine: { ...engine, connected: false, problem: 'it is away' } };
        expect(await status()).toMatchObject({
          exitCode: 4,
          out: 'unhealthy\n  named      10.0.0.1:7233: it is away\n  namespace  agents\n',
        });
        // Our own that has ended is still the one that the server names.
        const { engineFile } = homePaths(home);
        const ended = { pid: spawnSync('true').pid, start: '1', address: '10.0.0.1:7233' };
        writePidFile(engineFile, ended);
        expect(await status()).toMatchObject({ exitCode: 4, out: 'stopped\n' });
      }),
  );
});

test('what to do about a Temporal that is away is told by who keeps it, whatever this shell names', async () => {
  await withHome(async (home) => {
    const away = { ...health, engine: { ...health.engine, address: '10.0.0.1:7233' } };
    const said: string[] = [];
    const err = { ...quiet, write: (text: string) => void said.push(text) };
    await tellTrouble({ home, err }, away);
    expect(said.join('')).toContain('address, TLS and namespace are right');
    writePidFile(homePaths(home).engineFile, {
      ...{ pid: process.pid, start: '1' },
      ...{ address: '10.0.0.1:7233' },
    } as ProcessId);
    await tellTrouble({ home, err }, away);
    expect(said.at(-1)).toContain('engine.log');
  });
});

const quiet = { isTerminal: false, hasColor: false, columns: 80 };

const health: Health = {
  ...{ status: 'ready', version: '0.1.0', homeId: 'h', pid: 7 },
  startedAt: '2026-01-01T00:00:00.000Z',
  engine: {
    ...{ connected: false, address: null, namespace: 'default' },
    ...{ uiUrl: null, serverVersion: null, problem: null },
  },
  hosts: [],
  invocations: {},
  outbox: { rows: 0, oldestSeconds: null },
};

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

test('a token without an address is used as it is, and an address without a token is refused', async () => {
  await withFakeServer(
    (_, response) => answerJson(response, recordOf()),
    ({ url, seen }) =>
      withHome(async (home) => {
        writeServerFile(home, { url, pid: process.pid });
        const get = (env: Record<string, string>) => cli(['get', 'sub_1'], { home, env });
        expect(await get({ OFFSHOOT_TOKEN: 'off_readonly' })).toMatchObject({ exitCode: 0 });
        expect(seen.map((one) => one.headers.authorization)).toEqual(['Bearer off_readonly']);
        const other = await get({ OFFSHOOT_URL: 'http://elsewhere.example' });
        expect(other).toMatchObject({ exitCode: 2, out: '' });
        expect(other.err).toContain('A token is needed for http://elsewhere.example.');
        expect(seen).toHaveLength(1);
      }),
  );
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

test('a home that is a file is said to be one by every command, with exit code 2', async () => {
  await withHome(async (folder) => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    for (const home of [file, join(file, 'below')]) {
      for (const command of [['status'], ['list'], ['doctor'], ['up'], ['backup']]) {
        const { exitCode, err } = await cli(command, { home });
        expect([command, exitCode]).toEqual([command, 2]);
        expect(err).toContain(`the home ${home} cannot be used: ${file} is not a folder`);
      }
    }
  });
});

// Made in one call, the second of these would keep Node busy for ever.
test.each([['up'], ['up', '--detach'], ['backup'], ['restore', 'x.db']])(
  'a home that cannot be made ends `%s %s` at once, with exit code 2',
  async (...command) => {
    const { exitCode, err } = await cli(command, { home: '/proc/none/home' });
    expect(exitCode).toBe(2);
    expect(err).toMatch(
      /cannot be used: \w+: .*mkdir '\/proc.*\n {2}Set OFFSHOOT_HOME to a folder/,
    );
  },
);
