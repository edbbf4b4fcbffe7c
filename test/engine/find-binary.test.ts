import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from '@jest/globals';
import { cachedBinary } from '../../engine/cache.ts';
import { buildEngine, enginePath } from '../../engine/engine-commands.ts';
import { findBinary, type FindDeps } from '../../engine/find-binary.ts';
import { bundled } from '../support/bundled.ts';
import { withFolder } from '../support/folder.ts';
import { fakeGo, fakeTemporal, linesOf, writeProgram } from './fake-programs.ts';

/** Nothing listens on the discard port: a download ends at once, as without a network. */
const nowhere = 'http://127.0.0.1:9';
const systemPath = '/usr/bin:/bin';

function depsIn(folder: string, change: Partial<FindDeps> = {}) {
  const lines: string[] = [];
  const deps: FindDeps = {
    temporalBin: null,
    path: join(folder, 'bin'),
    cacheDir: join(folder, 'cache'),
    env: { PATH: `${join(folder, 'bin')}:${systemPath}` },
    downloadUrl: nowhere,
    onProgress: (line) => lines.push(line),
    ...change,
  };
  return { deps, lines };
}

test('the file that the user names comes before PATH, and PATH before our cache', async () => {
  await withFolder(async (folder) => {
    const { deps } = depsIn(folder);
    const cached = fakeTemporal(cachedBinary(deps.cacheDir));
    expect(await findBinary(deps)).toMatchObject({ source: 'cache', path: cached });
    const onPath = fakeTemporal(join(folder, 'bin/temporal'), '1.9.0');
    expect(await findBinary(deps)).toMatchObject({ source: 'path', path: onPath });
    const named = fakeTemporal(join(folder, 'mine'), '1.7.0');
    expect(await findBinary({ ...deps, temporalBin: named })).toEqual({
      source: 'environment',
      path: named,
      version: { cli: '1.7.0', server: '1.31.2' },
    });
  });
});

test('one that is too old is passed over, and it is said why', async () => {
  await withFolder(async (folder) => {
    const { deps, lines } = depsIn(folder);
    fakeTemporal(join(folder, 'bin/temporal'), '1.6.9');
    fakeTemporal(cachedBinary(deps.cacheDir));
    expect((await findBinary(deps)).source).toBe('cache');
    expect(lines).toEqual([
      expect.stringMatching(/^`temporal` on PATH: .*is version 1\.6\.9, and 1\.7\.0 or newer/),
    ]);
  });
});

test('a file that the user names and that cannot be used is refused, whatever else there is', async () => {
  await withFolder(async (folder) => {
    const { deps } = depsIn(folder);
    fakeTemporal(join(folder, 'bin/temporal'));
    fakeTemporal(cachedBinary(deps.cacheDir));
    const noTemporal = writeProgram(join(folder, 'mine'), 'echo hello');
    for (const [temporalBin, why] of [
      [join(folder, 'missing'), 'is missing or may not be executed'],
      [noTemporal, 'does not answer like a Temporal CLI: hello'],
      [
        fakeTemporal(join(folder, 'old'), '1.6.9'),
        'is version 1.6.9, and 1.7.0 or newer is needed',
      ],
    ] as const) {
      await expect(findBinary({ ...deps, temporalBin })).rejects.toMatchObject({
        code: 'config_invalid',
        message: `the file in OFFSHOOT_TEMPORAL_BIN cannot be used: ${temporalBin} ${why}`,
        hint: expect.stringContaining('unset it'),
      });
    }
  });
});

test('when nothing works, the error lists every step with its result, and a remedy', async () => {
  await withFolder(async (folder) => {
    const { deps } = depsIn(folder);
    const error = await findBinary(deps).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'engine_unavailable',
      hint: expect.stringContaining('OFFSHOOT_TEMPORAL_BIN'),
    });
    const message = String(error);
    for (const part of [
      'OFFSHOOT_TEMPORAL_BIN: is not set',
      '`temporal` on PATH: there is none',
      `our cache: ${cachedBinary(deps.cacheDir)} is missing`,
      'the official download: fetch failed',
      '`go build` of the pinned module: there is no Go compiler',
    ]) {
      expect(message).toContain(part);
    }
  });
});

test('the download is unpacked into the cache', async () => {
  await withFolder(async (folder) => {
    fakeTemporal(join(folder, 'archive/temporal'));
    execFileSync('tar', ['-czf', 'a.tgz', '-C', 'archive', 'temporal'], { cwd: folder });
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.end(readFileSync(join(folder, 'a.tgz')));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = server.address() as AddressInfo;
      const { deps } = depsIn(folder, { downloadUrl: `http://127.0.0.1:${port}` });
      const binary = await findBinary(deps);
      expect(binary).toMatchObject({ source: 'download', path: cachedBinary(deps.cacheDir) });
      expect(asked[0]).toMatch(/^\/cli\/archive\/v1\.8\.2\?platform=\w+&arch=\w+$/);
      expect(readdirSync(dirname(binary.path))).toEqual(['temporal']);
      expect((await findBinary(deps)).source).toBe('cache');
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });
});

test('a server that accepts and says nothing does not hold the download up', async () => {
  await withFolder(async (folder) => {
    const server = createServer(() => {});
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = server.address() as AddressInfo;
      const { deps } = depsIn(folder, { downloadUrl: `http://127.0.0.1:${port}` });
      await expect(findBinary(deps)).rejects.toThrow('no answer within 4 s');
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });
});

test('the build is told its version, and a build that gives another one is not kept', async () => {
  await withFolder(async (folder) => {
    const { deps } = depsIn(folder);
    const log = fakeGo(join(folder, 'bin'), { version: '0.0.0-DEV' });
    await expect(findBinary(deps)).rejects.toThrow('is version 0.0.0-DEV');
    expect(existsSync(cachedBinary(deps.cacheDir))).toBe(false);
    fakeGo(join(folder, 'bin'));
    expect((await findBinary(deps)).source).toBe('build');
    expect(linesOf(log)[0]).toContain(
      '-trimpath -ldflags -s -w -X github.com/temporalio/cli/internal/temporalcli.Version=1.8.2 ' +
        'github.com/temporalio/cli/cmd/temporal',
    );
  });
});

test('two processes that need the binary at once build it once', async () => {
  await withFolder(async (folder) => {
    const { deps } = depsIn(folder);
    const log = fakeGo(join(folder, 'bin'), { seconds: 1 });
    const path = `${deps.path}:${systemPath}`;
    const answers = await Promise.all([find(deps.cacheDir, path), find(deps.cacheDir, path)]);
    expect(linesOf(log)).toHaveLength(1);
    expect(answers.map(({ source }) => source).toSorted()).toEqual(['build', 'cache']);
    const waiting = answers.map(({ errors }) => errors).join('');
    expect(waiting).toMatch(/waiting for process \d+, which is getting the same binary/);
    expect(readdirSync(dirname(cachedBinary(deps.cacheDir)))).toEqual(['temporal']);
  });
});

test('a build that was killed leaves no lock that lasts and no half binary', async () => {
  await withFolder(async (folder) => {
    const { deps } = depsIn(folder);
    const log = fakeGo(join(folder, 'bin'), { seconds: 5 });
    const child = startFind(deps.cacheDir, `${deps.path}:${systemPath}`);
    while (linesOf(log).length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('exit', resolve));
    fakeGo(join(folder, 'bin'));
    expect((await findBinary(deps)).source).toBe('build');
    // The orphaned compiler ends by itself; its output has a name that nobody reads.
    while (isNamed(join(folder, 'bin/go')))
      await new Promise((resolve) => setTimeout(resolve, 100));
  });
});

test('looking does not download or build; building does not take what PATH has', async () => {
  await withFolder(async (folder) => {
    const { deps } = depsIn(folder);
    const log = fakeGo(join(folder, 'bin'));
    const looked = await enginePath(deps);
    expect(looked.binary).toBeNull();
    expect(looked.failed.map(({ step }) => step)).toHaveLength(3);
    expect(linesOf(log)).toEqual([]);
    mkdirSync(deps.path, { recursive: true });
    fakeTemporal(join(folder, 'bin/temporal'));
    const built = await buildEngine(deps);
    expect(built).toMatchObject({ source: 'build', path: cachedBinary(deps.cacheDir) });
    expect((await buildEngine(deps)).source).toBe('cache');
    expect(linesOf(log)).toHaveLength(1);
  });
});

const finder = fileURLToPath(new URL('fixtures/find-binary-program.ts', import.meta.url));
let program = '';
beforeAll(async () => void (program = await bundled(finder)));

function startFind(cacheDir: string, path: string) {
  return spawn(process.execPath, [program, cacheDir, path]);
}

async function find(cacheDir: string, path: string): Promise<{ source: string; errors: string }> {
  const child = startFind(cacheDir, path);
  let [output, errors] = ['', ''];
  child.stdout.on('data', (chunk) => (output += String(chunk)));
  child.stderr.on('data', (chunk) => (errors += String(chunk)));
  await new Promise((resolve) => child.once('close', resolve));
  if (output === '') throw new Error(errors);
  return { ...(JSON.parse(output) as { source: string }), errors };
}

function isNamed(file: string): boolean {
  const list = execFileSync('ps', ['-axo', 'args='], { encoding: 'utf8' });
  return list.includes(file);
}
