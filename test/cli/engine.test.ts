/** `engine path` and `engine build`: which binary is used, and how one is made. `status` is in checks.test.ts. */
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { fakeGo, fakeTemporal, linesOf } from '../engine/fake-programs.ts';
import { withFolder } from '../support/folder.ts';
import { cli } from './cli-harness.ts';

/** An environment without any Temporal or Go but what the test puts into the folder `bin`. */
const withEmpty = (use: (folder: string, env: Record<string, string>) => Promise<void>) =>
  withFolder((folder) =>
    use(folder, { PATH: join(folder, 'bin'), XDG_CACHE_HOME: join(folder, 'cache') }),
  );

test('engine path prints the binary that is named, and where it was found as JSON', () =>
  withEmpty(async (folder, env) => {
    const named = fakeTemporal(join(folder, 'own/temporal'));
    const installed = fakeTemporal(join(folder, 'bin/temporal'));
    const path = (more: Record<string, string>, ...args: string[]) =>
      cli(['engine', 'path', ...args], { env: { ...env, ...more } });
    const OFFSHOOT_TEMPORAL_BIN = named;
    expect(await path({ OFFSHOOT_TEMPORAL_BIN })).toMatchObject({ exitCode: 0, out: `${named}\n` });
    expect(await path({})).toMatchObject({ exitCode: 0, out: `${installed}\n` });
    const json = await path({ OFFSHOOT_TEMPORAL_BIN }, '--json');
    expect([json.exitCode, JSON.parse(json.out)]).toMatchObject([
      0,
      { binary: { path: named, source: 'environment' }, failed: [] },
    ]);
  }));

test('engine path says what was looked at in vain, and exits with 3', () =>
  withEmpty(async (_, env) => {
    const path = (...args: string[]) => cli(['engine', 'path', ...args], { env });
    const told = await path();
    expect([told.exitCode, told.out]).toEqual([3, '']);
    expect(told.err).toMatch(
      /^OFFSHOOT_TEMPORAL_BIN: is not set\n`temporal` on PATH: there is none\n/,
    );
    expect(told.err).toContain('`offshoot engine build` compiles it.');
    const json = await path('--json');
    const { binary, failed } = JSON.parse(json.out) as { binary: null; failed: object[] };
    expect([json.exitCode, binary, failed.length]).toEqual([3, null, 3]);
  }));

test.each(['path', 'status'])(
  'engine %s refuses a named binary that cannot be used, though there is another',
  (command) =>
    withEmpty(async (folder, env) => {
      fakeTemporal(join(folder, 'bin/temporal'));
      const all = { ...env, OFFSHOOT_TEMPORAL_BIN: '/nope' };
      const run = await cli(['engine', command], { env: all, home: join(folder, 'home') });
      expect([run.exitCode, run.out]).toEqual([2, '']);
      expect(run.err).toContain(
        'the file in OFFSHOOT_TEMPORAL_BIN cannot be used: /nope is missing',
      );
      expect(run.err).toContain(
        'Name the file of a Temporal CLI in OFFSHOOT_TEMPORAL_BIN, or unset it',
      );
    }),
);

test('engine build compiles into the cache once, and engine path finds it there', () =>
  withEmpty(async (folder, env) => {
    const calls = fakeGo(join(folder, 'bin'));
    // The compiler is a shell script here.
    const withShell = { ...env, PATH: `${env['PATH']}:/usr/bin:/bin` };
    const first = await cli(['engine', 'build'], { env: withShell });
    expect(first.exitCode).toBe(0);
    const built = first.out.trim();
    expect(built.startsWith(join(folder, 'cache/offshoot/'))).toBe(true);
    const again = await cli(['engine', 'build', '--json'], { env: withShell });
    expect(JSON.parse(again.out)).toMatchObject({ path: built, source: 'cache' });
    expect(linesOf(calls)).toHaveLength(1);
    expect(await cli(['engine', 'path'], { env })).toMatchObject({ out: first.out });
  }));

test('engine build without Go says so, and what else can be done', () =>
  withEmpty(async (_, env) => {
    const { exitCode, out, err } = await cli(['engine', 'build'], { env });
    expect([exitCode, out]).toEqual([4, '']);
    expect(err).toMatch(/go/i);
  }));
