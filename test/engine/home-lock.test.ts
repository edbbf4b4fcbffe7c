import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { takeHome } from '../../engine/home-lock.ts';

const holder = fileURLToPath(new URL('./fixtures/hold-home.ts', import.meta.url));
const tsx = fileURLToPath(new URL('../../node_modules/tsx/dist/esm/index.mjs', import.meta.url));

async function withHolder(
  use: (home: string, holding: ChildProcess) => Promise<void>,
): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'offshoot-lock-'));
  const holding = spawn(process.execPath, ['--import', tsx, holder, home], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await once(holding.stdout!, 'data');
    await use(home, holding);
  } finally {
    if (holding.exitCode === null && holding.signalCode === null) {
      holding.kill('SIGKILL');
      await once(holding, 'exit');
    }
    rmSync(home, { recursive: true, force: true });
  }
}

test('a second server on the same home is refused, and told who has it', async () => {
  await withHolder(async (home, holding) => {
    expect(() => takeHome(home)).toThrow(
      expect.objectContaining({
        code: 'home_in_use',
        message: `the home ${home} is in use by offshoot server, pid ${holding.pid}`,
        hint: expect.stringContaining('offshoot down'),
      }),
    );
  });
});

test('a server that was killed leaves the home free, whatever its note says', async () => {
  await withHolder(async (home, holding) => {
    holding.kill('SIGKILL');
    await once(holding, 'exit');
    const release = takeHome(home);
    expect(() => takeHome(home)).toThrow(`pid ${process.pid}`);
    release();
    takeHome(home)();
  });
});
