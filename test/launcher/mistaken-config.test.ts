import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from '@jest/globals';
import { configSchema } from '../../contract/config.ts';
import { AppError } from '../../contract/errors.ts';
import { homePaths } from '../../contract/home.ts';
import { readPidFile } from '../../engine/pid-file.ts';
import { until, withRoom } from './launcher-fixture.ts';

test('while the configuration has a mistake nothing is given up that was up: mended, it goes on by itself', async () => {
  await withRoom(async (room) => {
    let mistake: string | null = null;
    const launcher = await room.launch({
      timing: { delayMsMin: 10, delayMsMax: 20 },
      readConfig: () => {
        if (mistake !== null) throw new AppError('config_invalid', mistake);
        return configSchema.parse({ server: { port: 0 } });
      },
    });
    await launcher.ready;
    mistake = 'limits.slotz: is not known';
    writeFileSync(join(room.home, 'server-is-broken'), '');
    process.kill(readPidFile(homePaths(room.home).serverPidFile)!.pid, 'SIGKILL');
    const inVain = () => room.lines.filter((line) => line.includes(mistake ?? '-')).length;
    await until('it was tried again and again', () => inVain() > 8, 20_000);
    rmSync(join(room.home, 'server-is-broken'));
    mistake = null;
    await until('it is up', () => room.lines.filter((line) => line === 'server: up').length === 2);
    await launcher.stop();
  });
});
