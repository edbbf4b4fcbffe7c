import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { homePaths } from '../../contract/home.ts';
import { checkHealth } from '../../engine/check-health.ts';
import { engineStatus } from '../../engine/engine-commands.ts';
import { readEngineFile } from '../../engine/engine-file.ts';
import { isRunning, listProcesses } from '../../engine/process-identity.ts';
import type { EngineBinary } from '../../engine/find-binary.ts';
import { startEngine, type RunningEngine } from '../../engine/start-engine.ts';
import { stopProcess } from '../../engine/stop-process.ts';
import { withFolder } from '../support/folder.ts';
import { testBinary } from '../support/test-engine.ts';
import { writeProgram } from './fake-programs.ts';

interface Room {
  home: string;
  lines: string[];
  start: (change?: Partial<Parameters<typeof startEngine>[0]>) => Promise<RunningEngine>;
}

/** A home whose engine is gone afterwards, whatever the test did to it. */
async function withHome(run: (room: Room) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    const home = join(folder, 'home');
    mkdirSync(home);
    const lines: string[] = [];
    const ids: RunningEngine['id'][] = [];
    const start: Room['start'] = async (change) => {
      const engine = await startEngine({
        home,
        namespace: 'default',
        durable: false,
        env: process.env,
        onProgress: (line) => lines.push(line),
        signal: new AbortController().signal,
        findBinary: testBinary,
        ...change,
      });
      ids.push(engine.id);
      return engine;
    };
    try {
      await run({ home, lines, start });
    } finally {
      for (const id of ids) await stopProcess(id, 0);
    }
  });
}

/** A Temporal of the user's own at this address. */
const connectOptionsOf = (address: string) => ({
  ...{ address, namespace: 'default', uiUrl: null, connection: { address } },
  ...{ managed: false, instance: null },
});

const enginesOf = (home: string) =>
  listProcesses().filter(({ args }) => args.some((arg) => arg.startsWith(`${home}/engine/`)));

/** A Temporal that finds its port taken until it has been started so often. */
async function withTakenPorts(folder: string, times: number): Promise<() => Promise<EngineBinary>> {
  const binary = await testBinary();
  const script = [
    `echo start >> '${folder}/starts'`,
    `if [ $(wc -l < '${folder}/starts') -gt ${times} ]; then exec '${binary.path}' "$@"; fi`,
    `echo 'listen tcp 127.0.0.1:1: bind: address already in use' >&2; exit 1`,
  ];
  const path = writeProgram(join(folder, 'taken'), script.join('\n'));
  return async () => ({ ...binary, path });
}
const startsIn = (folder: string) =>
  readFileSync(join(folder, 'starts'), 'utf8').trim().split('\n').length;

test('an engine whose port was taken before it could listen there is started anew', () =>
  withHome(async ({ home, start }) => {
    const { file } = await start({ findBinary: await withTakenPorts(home, 2) });
    expect(await checkHealth(file.address, 1_000)).toEqual({ serverVersion: file.version });
    expect(readEngineFile(home)).toEqual(file);
    expect(startsIn(home)).toBe(3);
  }));

test('an engine that finds no port free says so after some tries', () =>
  withHome(async ({ home, start }) => {
    const findBinary = await withTakenPorts(home, 100);
    await expect(start({ findBinary })).rejects.toThrow(/did not become healthy[^]*already in use/);
    expect(startsIn(home)).toBe(5);
  }));

test('a started engine answers over gRPC and is described by its file', async () => {
  await withHome(async ({ home, start }) => {
    expect(await engineStatus(home)).toEqual({ state: 'stopped', file: null, named: null });
    const { file, isAdopted } = await start();
    expect(isAdopted).toBe(false);
    expect(await checkHealth(file.address, 1_000)).toEqual({ serverVersion: file.version });
    expect(await engineStatus(home)).toEqual({ state: 'healthy', file, named: null });
    const external = connectOptionsOf(file.address);
    const named = { address: file.address, serverVersion: file.version };
    expect(await engineStatus(home, external)).toEqual({
      ...{ state: 'healthy', file: null },
      named: { ...named, namespace: 'default', problem: null },
    });
    expect(await engineStatus(home, { ...external, namespace: 'theirs' })).toEqual({
      ...{ state: 'unhealthy', file: null },
      named: { ...named, namespace: 'theirs', problem: 'Namespace theirs is not found.' },
    });
    expect(readEngineFile(home)).toEqual(file);
    expect((await fetch(file.uiUrl)).ok).toBe(true);
    expect(readdirSync(homePaths(home).engineData)).toContain(`temporal-${file.version}.db-wal`);
  });
});

test('the engine that lives is adopted, also by two starters at once, and never doubled', async () => {
  await withHome(async ({ home, start }) => {
    const [first, second] = await Promise.all([start(), start()]);
    expect([first.isAdopted, second.isAdopted].toSorted()).toEqual([false, true]);
    expect(first.id).toEqual(second.id);
    expect(enginesOf(home)).toHaveLength(1);
  });
});

test('it is adopted by its command line when its file was lost', async () => {
  await withHome(async ({ home, start }) => {
    const before = await start();
    rmSync(homePaths(home).engineFile);
    const after = await start();
    expect(after.isAdopted).toBe(true);
    expect(after.id).toEqual(before.id);
    expect(readEngineFile(home)).toMatchObject({
      pid: before.file.pid,
      address: before.file.address,
      uiUrl: before.file.uiUrl,
      version: before.file.version,
      namespace: 'default',
    });
  });
});

test('a copy of a home has an engine of its own, on ports of its own', async () => {
  await withHome(async ({ home, start }) => {
    const { file, id } = await start();
    const copy = `${home}-copy`;
    cpSync(home, copy, { recursive: true });
    expect(readEngineFile(copy)).toBeNull();
    const other = await start({ home: copy });
    expect(other.isAdopted).toBe(false);
    expect(other.file.address).not.toBe(file.address);
    expect(isRunning(id)).toBe(true);
    expect(readEngineFile(home)).toEqual(file);
  });
});

test('after a kill it comes back on the same ports, and its end was seen', async () => {
  await withHome(async ({ home, start }) => {
    const before = await start();
    process.kill(before.id.pid, 'SIGKILL');
    expect(await before.ended).toBe('signal SIGKILL');
    expect((await engineStatus(home)).state).toBe('stopped');
    const after = await start();
    expect(after.isAdopted).toBe(false);
    expect(after.file.address).toBe(before.file.address);
    expect(after.file.uiUrl).toBe(before.file.uiUrl);
  });
});

test('a port that was taken meanwhile is replaced by a free one', async () => {
  await withHome(async ({ start }) => {
    const before = await start();
    await stopProcess(before.id, 10_000);
    const port = Number(before.file.address.split(':')[1]);
    const squatter = createServer();
    await new Promise<void>((resolve) => squatter.listen(port, '127.0.0.1', resolve));
    try {
      const after = await start();
      expect(after.file.address).not.toBe(before.file.address);
      expect(after.file.uiUrl).toBe(before.file.uiUrl);
    } finally {
      squatter.close();
    }
  });
});

test('a pid that now belongs to another process is not taken for the engine', async () => {
  await withHome(async ({ home, start }) => {
    const before = await start();
    await stopProcess(before.id, 10_000);
    const file = homePaths(home).engineFile;
    const text = readFileSync(file, 'utf8').replace(String(before.id.pid), String(process.pid));
    rmSync(file);
    writeFileSync(file, text);
    expect((await engineStatus(home)).state).toBe('stopped');
    const after = await start();
    expect(after.isAdopted).toBe(false);
    expect(after.id.pid).not.toBe(process.pid);
  });
});

test('a program that ends at once is reported with the last lines of this start', async () => {
  await withHome(async ({ home, start }) => {
    const version = { cli: '1.8.2', server: '1.31.2' };
    for (const words of ['disk is full', 'no such flag']) {
      const path = writeProgram(join(home, 'broken'), `echo "${words}" >&2; exit 3`);
      const findBinary = async () => ({ path, version, source: 'cache' as const });
      await expect(start({ findBinary })).rejects.toMatchObject({
        code: 'engine_unavailable',
        message: `the engine did not become healthy:\n${words}`,
        hint: expect.stringContaining('engine.log'),
      });
    }
  });
});

test('a start that is called off leaves no engine behind', async () => {
  await withHome(async ({ home, start }) => {
    const abort = new AbortController();
    const findBinary = async () => {
      const found = await testBinary();
      setTimeout(() => abort.abort(), 20);
      return found;
    };
    await expect(start({ signal: abort.signal, findBinary })).rejects.toThrow();
    expect(enginesOf(home)).toEqual([]);
    expect(existsSync(`${homePaths(home).engineFile}.lock`)).toBe(false);
  });
});
