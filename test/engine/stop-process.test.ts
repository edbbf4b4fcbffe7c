import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { identifyProcess, isRunning, type ProcessId } from '../../engine/process-identity.ts';
import { stopProcess } from '../../engine/stop-process.ts';

async function start(script: string): Promise<ProcessId> {
  const child = spawn(process.execPath, ['-e', `${script};console.log(1);setInterval(()=>{},1e3)`]);
  await once(child.stdout, 'data');
  const id = identifyProcess(child.pid ?? 0);
  if (id === null) throw new Error('it has ended already');
  return id;
}

test('a process that listens ends by SIGTERM', async () => {
  const id = await start('');
  expect(isRunning(id)).toBe(true);
  expect(await stopProcess(id, 5_000)).toBe('ended');
  expect(isRunning(id)).toBe(false);
  expect(await stopProcess(id, 5_000)).toBe('gone');
});

test('one that does not listen is killed after its grace', async () => {
  const id = await start('process.on("SIGTERM", () => {})');
  expect(await stopProcess(id, 200)).toBe('killed');
  expect(isRunning(id)).toBe(false);
});

test('a process that has got the pid of another one is not touched', async () => {
  const id = await start('');
  expect(await stopProcess({ pid: id.pid, start: 'another time' }, 1_000)).toBe('gone');
  expect(isRunning(id)).toBe(true);
  await stopProcess(id, 5_000);
});
