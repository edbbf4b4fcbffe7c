import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { startDetached } from '../../launcher/start-detached.ts';
import { launcherStatus, stopLauncher } from '../../launcher/stop-launcher.ts';
import { withRoom } from './launcher-fixture.ts';

const url = (path: string) => new URL(path, import.meta.url);
const tsx = url('../../node_modules/tsx/dist/esm/index.mjs').href;

function optionsFor(home: string, lines: string[]) {
  return {
    home,
    port: null,
    env: { ...process.env, TEMPORAL_ADDRESS: '127.0.0.1:9', NODE_OPTIONS: `--import ${tsx}` },
    onProgress: (line: string) => lines.push(line),
    launcherProgram: fileURLToPath(url('fixtures/launcher-program.ts')),
  };
}

test('it answers when the stack is ready, and a second time finds it running', async () => {
  await withRoom(async ({ home }) => {
    const lines: string[] = [];
    const first = await startDetached(optionsFor(home, lines));
    expect(first).toMatchObject({ wasRunning: false, health: { status: 'ready' } });
    expect(lines).toContainEqual(expect.stringMatching(/^server: started/));
    const { launcher } = launcherStatus(home);
    const second = await startDetached(optionsFor(home, []));
    expect(second).toMatchObject({ wasRunning: true, health: { pid: first.health.pid } });
    expect(launcherStatus(home).launcher).toEqual(launcher);
    const told: string[] = [];
    await stopLauncher(home, { leaveAgents: false, onProgress: (line) => told.push(line) });
    expect(launcherStatus(home).processes.some(({ isRunning }) => isRunning)).toBe(false);
  });
});

test('a start that fails is answered once, with what the server said last', async () => {
  await withRoom(async ({ home }) => {
    writeFileSync(join(home, 'server-is-broken'), '');
    const lines: string[] = [];
    const start = () => startDetached(optionsFor(home, lines));
    const refusal = {
      code: 'server_unavailable',
      message: 'the server ended 5 times in a row (exit code 4):\nthe database cannot be opened',
      hint: expect.stringContaining('server.log'),
    };
    await expect(start()).rejects.toMatchObject(refusal);
    expect(lines.filter((line) => line.includes('cannot be opened'))).toEqual([]);
    // What stood in the log before is of no interest to the next start.
    await expect(start()).rejects.toMatchObject(refusal);
  });
});
