import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBinary } from '../../engine/find-binary.ts';
import { findDeps } from '../../engine/find-deps.ts';
import { readEngineFile, type EngineFile } from '../../engine/engine-file.ts';
import { startEngine } from '../../engine/start-engine.ts';
import { stopProcess } from '../../engine/stop-process.ts';

/** The binary that `engine/` finds or makes for this machine. */
export const testBinary = () => findBinary(findDeps(process.env, () => {}));

/** The one dev server of a test run: the first who asks starts it, all others find it running. */
export async function testEngine(): Promise<{ address: string }> {
  const home = engineHome();
  mkdirSync(home, { recursive: true });
  const engine = await startEngine({
    home,
    namespace: 'default',
    durable: false,
    env: process.env,
    onProgress: () => {},
    signal: new AbortController().signal,
    findBinary: testBinary,
  });
  return { address: engine.file.address };
}

/** As a home would know it, whose engine it is said to be. */
export async function testEngineFile(): Promise<EngineFile> {
  await testEngine();
  return readEngineFile(engineHome())!;
}

/** For the global teardown, which runs when all tests have ended. */
export async function stopTestEngine(): Promise<void> {
  const file = readEngineFile(engineHome());
  if (file !== null) await stopProcess(file, 10_000);
}

/** Below the temporary folder of the run, which all its workers share. */
const engineHome = () => join(tmpdir(), 'test-engine');
