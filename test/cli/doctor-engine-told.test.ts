/** What `doctor` makes of what the server says of its engine. */
import { expect, test } from '@jest/globals';
import { writePidFile } from '../../engine/pid-file.ts';
import { oldestServer } from '../../engine/versions.ts';
import type { cli } from './cli-harness.ts';
import { findings, health, named, withServer, type Found } from './doctor-fixture.ts';

test('a server without its engine is told with what is wrong with that, and the exit code is 4', async () => {
  const problem = 'connect ECONNREFUSED';
  const engine = { ...health.engine, connected: false, serverVersion: null, problem };
  await withServer({ health: { ...health, engine } }, async (run) => {
    const ran = await run('--json');
    expect(ran.exitCode).toBe(4);
    const { findings: found } = JSON.parse(ran.out) as { findings: Found[] };
    expect(named(found, 'engine')).toMatchObject([
      {
        level: 'error',
        what: `not connected to 127.0.0.1:7233: ${problem}`,
        why: expect.stringContaining('Agents run all the same'),
        remedy: expect.stringContaining('offshoot engine status'),
      },
    ]);
  });
});

test('the advice about an engine fits who keeps it: of a named one there is no engine.log', async () => {
  const adviceOn = async (change: Partial<typeof health.engine>, isKept: boolean) => {
    let remedy: string | null | undefined;
    await withServer(
      { health: { ...health, engine: { ...health.engine, ...change } } },
      async (run, { engineFile }) => {
        const kept = { pid: 999_999_999, start: '1', address: health.engine.address };
        if (isKept) writePidFile(engineFile, kept);
        remedy = named(await findings(run('--json')), 'engine')[0]?.remedy;
      },
    );
    return remedy;
  };
  const away = { connected: false, serverVersion: null, problem: 'connect ECONNREFUSED' };
  expect(await adviceOn(away, true)).toBe('see offshoot engine status, and engine.log');
  expect(await adviceOn(away, false)).toMatch(/^see that it runs, and that address, TLS/);
  const old = { serverVersion: '1.30.4' };
  expect(await adviceOn(old, true)).toBe('offshoot down, then offshoot up');
  expect(await adviceOn(old, false)).toBe(`update that Temporal to ${oldestServer} or newer`);
});

test('an engine that is older than the oldest that can be relied on is told, whoever keeps it', async () => {
  const engineOf = async (serverVersion: string) => {
    let found: Found[] = [];
    await withServer(
      { health: { ...health, engine: { ...health.engine, serverVersion } } },
      async (run) => {
        found = named(await findings(run('--json')), 'engine');
      },
    );
    return found;
  };
  expect(await engineOf('1.30.4')).toMatchObject([
    {
      level: 'warning',
      what: expect.stringContaining(
        `version 1.30.4, UI http://127.0.0.1:8233: older than ${oldestServer}`,
      ),
      why: expect.any(String),
      remedy: expect.stringContaining('update that Temporal'),
    },
  ]);
  for (const version of [oldestServer, '1.31.0-154.0', '1.40.0', '2.0.0', 'of a cloud', '']) {
    expect([version, await engineOf(version)]).toMatchObject([version, [{ level: 'ok' }]]);
  }
});

test('of a Temporal that the stack was given no binary is judged, whatever this shell knows of it', async () => {
  const ofEngine = async (run: () => ReturnType<typeof cli>) =>
    (await findings(run())).map(({ name }) => name).filter((name) => name.startsWith('engine '));
  await withServer({}, async (run) => expect(await ofEngine(() => run('--json'))).toEqual([]));
  const engine = { ...health.engine, connected: false, address: null };
  await withServer({ health: { ...health, engine } }, async (run) =>
    expect(await ofEngine(() => run('--json'))).toContain('engine binary'),
  );
});
