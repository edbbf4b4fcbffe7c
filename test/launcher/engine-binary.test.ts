/** A launcher that has one binary of the engine, and no other way to one. */
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readEngineFile } from '../../engine/engine-file.ts';
import { testBinary } from '../support/test-engine.ts';
import { until, withRoom } from './launcher-fixture.ts';

/** A folder that cannot be made ends download and build before they begin. */
function alone(home: string, PATH: string) {
  const XDG_CACHE_HOME = join(home, 'cache');
  writeFileSync(XDG_CACHE_HOME, '');
  return { PATH, XDG_CACHE_HOME };
}

test('without any binary it ends at once and lists what was tried', async () => {
  await withRoom(async (room) => {
    const env = alone(room.home, '/missing');
    const launcher = await room.launch({ env });
    expect(await launcher.finished).toMatchObject({
      code: 'engine_unavailable',
      message: expect.stringMatching(/`temporal` on PATH: there is none[^]*our cache/),
    });
    expect(room.lines.some((line) => line.includes('starting again'))).toBe(false);
    expect(room.read('started.log')).toEqual([]);
  });
});

test('one that is named and cannot be used ends it at once, by the name of the variable', async () => {
  await withRoom(async (room) => {
    const OFFSHOOT_TEMPORAL_BIN = '/missing/temporal';
    const env = { ...alone(room.home, dirname((await testBinary()).path)), OFFSHOOT_TEMPORAL_BIN };
    const launcher = await room.launch({ env });
    expect(await launcher.finished).toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining('OFFSHOOT_TEMPORAL_BIN cannot be used: /missing/temporal'),
      hint: expect.stringContaining('unset it'),
    });
    expect(room.read('started.log')).toEqual([]);
  });
});

test('an engine whose binary is gone when it is to be started again is looked for until it is there again', async () => {
  await withRoom(async (room) => {
    const binary = join(room.home, 'temporal');
    const { path } = await testBinary();
    const install = () => symlinkSync(path, binary);
    install();
    const env = alone(room.home, room.home);
    const launcher = await room.launch({ env, timing: { delayMsMin: 10, delayMsMax: 20 } });
    await launcher.ready;
    rmSync(binary);
    process.kill(readEngineFile(room.home)!.pid, 'SIGKILL');
    const inVain = () => room.lines.filter((line) => line.startsWith('engine: ended (no Temporal'));
    await until('it was looked for again and again', () => inVain().length > 8);
    // Downloading and compiling was in vain once.
    expect(inVain().filter((line) => line.includes('writing to our cache'))).toHaveLength(1);
    install();
    await until('it is up', () => room.lines.filter((line) => line === 'engine: up').length === 2);
    await launcher.stop();
  });
}, 60_000);
