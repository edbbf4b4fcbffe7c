/** What `doctor` says of an engine that is ill: each over the real one, which is spoilt first. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { Connection } from '@temporalio/client';
import { homePaths } from '../../contract/home.ts';
import { searchAttributes } from '../../contract/names.ts';
import { writeEngineFile } from '../../engine/engine-file.ts';
import { oldestCli } from '../../engine/versions.ts';
import { fakeTemporal } from '../engine/fake-programs.ts';
import { withFolder } from '../support/folder.ts';
import { testBinary, testEngineFile } from '../support/test-engine.ts';
import {
  addAttributes,
  createNamespace,
  KEYWORD,
  stateOf,
  TEXT,
  whenThere,
  withConnection,
} from '../support/test-namespace.ts';
import { cli } from './cli-harness.ts';

const names = Object.values(searchAttributes);
const asKeywords = Object.fromEntries(names.map((name) => [name, KEYWORD]));

interface Doctor {
  code: number;
  err: string;
  fixed: string[];
  /** By their names, without those of other parts. */
  about(name: string): Record<string, unknown>[];
}

async function doctor(
  home: string,
  { env = {}, fix = false }: { env?: Record<string, string>; fix?: boolean } = {},
): Promise<Doctor> {
  const all = { PATH: '', XDG_CACHE_HOME: join(home, 'cache'), ...env };
  const ran = await cli(['doctor', '--json', ...(fix ? ['--fix'] : [])], { home, env: all });
  const { findings, fixed } = JSON.parse(ran.out) as {
    findings: { name: string }[];
    fixed: string[];
  };
  const about = (name: string) => findings.filter((one) => one.name === name);
  return { code: ran.exitCode, err: ran.err, fixed, about: (name) => about(name) as never };
}

/** A home whose dev server is the tests' own, which runs for this namespace. */
async function withEngineHome(
  config: Record<string, unknown>,
  use: (home: string, namespace: string, connection: Connection) => Promise<void>,
): Promise<void> {
  await withConnection(async (connection) => {
    await withFolder(async (home) => {
      const namespace = await createNamespace(connection);
      await whenThere(() => stateOf(connection, namespace));
      writeFileSync(homePaths(home).configFiles[1], JSON.stringify({ engine: config }));
      writeEngineFile(home, { ...(await testEngineFile()), namespace });
      await use(home, namespace, connection);
    });
  });
}

test('a namespace that keeps too little and lacks our attributes is told, and --fix mends it', async () => {
  await withEngineHome({ retentionDays: 30 }, async (home, namespace, connection) => {
    const { [searchAttributes.title]: title, ...others } = asKeywords;
    await addAttributes(connection, namespace, others);
    const before = await doctor(home);
    expect(before.about('engine history')).toMatchObject([
      { level: 'warning', what: 'kept for 1 days, and engine.retentionDays is 30', canFix: true },
    ]);
    expect(before.about('engine search')).toMatchObject([
      { level: 'warning', what: `without ${searchAttributes.title}`, canFix: true },
    ]);
    // Looking has changed nothing.
    expect(await stateOf(connection, namespace)).toMatchObject({ days: 1 });

    const after = await doctor(home, { fix: true });
    expect(after.fixed).toEqual([expect.stringContaining(`attributes of ${namespace} are set`)]);
    expect(after.about('engine history')).toMatchObject([{ level: 'ok' }]);
    expect(after.about('engine search')).toMatchObject([{ level: 'ok' }]);
    const state = await stateOf(connection, namespace);
    expect(state.days).toBe(30);
    expect(state.attributes).toMatchObject({ ...others, [searchAttributes.title]: title });
  });
});

test('an attribute of that name with another type is told with its remedy, which mends it', async () => {
  await withEngineHome({ retentionDays: 1 }, async (home, namespace, connection) => {
    const taken = { [searchAttributes.status]: TEXT };
    await addAttributes(connection, namespace, { ...asKeywords, ...taken });
    const before = await doctor(home, { fix: true });
    // Whoever made it may need it: it is not ours to take away.
    expect([before.fixed, (await stateOf(connection, namespace)).attributes]).toMatchObject([
      [],
      taken,
    ]);
    const [told, ...more] = before.about('engine search');
    expect(told).toMatchObject({
      level: 'warning',
      what: `${searchAttributes.status} is Text, and must be Keyword`,
      canFix: false,
    });
    expect(more).toEqual([]);

    const [, words] = /: temporal (operator .*), then offshoot doctor --fix$/.exec(
      told!['remedy'] as string,
    )!;
    execFileSync((await testBinary()).path, words!.split(' '), { stdio: 'pipe' });
    const after = await doctor(home, { fix: true });
    expect(after.about('engine search')).toMatchObject([{ level: 'ok' }]);
    expect((await stateOf(connection, namespace)).attributes).toMatchObject(asKeywords);
  });
});

test('where --fix cannot mend the namespace it says so, and the finding stays', async () => {
  await withEngineHome({ retentionDays: 1 }, async (home, namespace, connection) => {
    // Ten keywords is what a namespace on an SQL database may have.
    const others = Array.from({ length: 10 }, (_, n) => [`Others${n}`, KEYWORD] as const);
    await addAttributes(connection, namespace, Object.fromEntries(others));
    const ran = await doctor(home, { fix: true });
    expect(ran.fixed).toEqual([]);
    expect(ran.err).toContain(`not mended: ${namespace} takes no change of ${names.join(', ')}:`);
    expect(ran.about('engine search')).toMatchObject([{ level: 'warning', canFix: true }]);
  });
});

test('an engine that runs with other flags than a start of today would set is told', async () => {
  await withEngineHome({ durable: true }, async (home) => {
    const { pid } = await testEngineFile();
    expect((await doctor(home)).about('engine flags')).toMatchObject([
      {
        level: 'warning',
        what: `pid ${pid} runs without synchronous=full, with synchronous=normal`,
        remedy: 'offshoot down, then offshoot up',
      },
    ]);
    writeFileSync(homePaths(home).configFiles[1], '{}');
    expect((await doctor(home)).about('engine flags')).toMatchObject([{ level: 'ok' }]);
  });
});

test('an engine that runs in another version than a start of today would have is told', async () => {
  await withEngineHome({}, async (home) => {
    const { version } = await testEngineFile();
    const folder = join(home, 'bin');
    const startOf = async (server: string) => {
      fakeTemporal(join(folder, 'temporal'), oldestCli, server);
      return (await doctor(home, { env: { PATH: folder } })).about('engine version');
    };
    expect(await startOf('1.99.0')).toMatchObject([
      {
        level: 'warning',
        what: `${version} runs, and a start of today has 1.99.0`,
        why: expect.stringContaining('a database of its own'),
        remedy: expect.stringContaining('offshoot down, then offshoot up'),
      },
    ]);
    expect(await startOf(version)).toMatchObject([{ level: 'ok' }]);
  });
});

test('a binary that is absent, too old, or named and of no use is told', async () => {
  await withFolder(async (home) => {
    const binary = async (env: Record<string, string>) =>
      (await doctor(home, { env })).about('engine binary');
    expect(await binary({})).toMatchObject([
      {
        level: 'warning',
        what: expect.stringMatching(/^there is none that can be used \(.*PATH: there is none; /),
        remedy: expect.stringContaining('offshoot engine build'),
      },
    ]);
    const old = fakeTemporal(join(home, 'old/temporal'), '1.5.1');
    const tooOld = `${old} is version 1.5.1, and ${oldestCli} or newer is needed`;
    expect(await binary({ PATH: join(home, 'old') })).toMatchObject([
      { level: 'warning', what: expect.stringContaining(`\`temporal\` on PATH: ${tooOld}`) },
    ]);
    const good = fakeTemporal(join(home, 'good/temporal'), oldestCli);
    const PATH = join(home, 'good');
    expect(await binary({ PATH })).toMatchObject([
      { level: 'ok', what: `${good}, version ${oldestCli} (server 1.31.2)` },
    ]);
    expect(await binary({ PATH, OFFSHOOT_TEMPORAL_BIN: old })).toMatchObject([
      {
        level: 'error',
        what: `the file in OFFSHOOT_TEMPORAL_BIN cannot be used: ${tooOld}`,
        remedy: expect.stringContaining('OFFSHOOT_TEMPORAL_BIN'),
      },
    ]);
  });
});
