/** A whole stack of its own: engine, server and runner host as real processes on a home of their own. */
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, discover, type OffshootClient } from '../../client/index.ts';
import { loadConfig } from '../../config/index.ts';
import { homePaths } from '../../contract/home.ts';
import type { SubAgentRecord, Turn } from '../../contract/records.ts';
import type { OperationInput } from '../../contract/operations.ts';
import { isFinal } from '../../contract/words.ts';
import { readEngineFile } from '../../engine/engine-file.ts';
import { launch, type Launcher, type LaunchOptions } from '../../launcher/index.ts';

export interface Stack {
  home: string;
  launcher: Launcher;
  client: OffshootClient;
  /** The home's administrator's token. */
  token: string;
  url: string;
  pid(name: 'server' | 'host' | 'engine'): number;
  kill(name: 'server' | 'host' | 'engine'): void;
  /** An asynchronous invocation of the demo agent, or of the runner named. */
  start(prompt: string, more?: Partial<OperationInput<'runSubagent'>>): Promise<SubAgentRecord>;
  ended(id: string, seconds?: number): Promise<SubAgentRecord>;
  transcript(id: string): Promise<Turn[]>;
}

export interface StackOptions {
  /** Content of the home's config.json. */
  config?: Record<string, unknown>;
  env?: Record<string, string | undefined>;
  /** Where its home lies, if that matters. */
  folder?: string;
  /** How soon the launcher starts again what a test kills often. */
  timing?: NonNullable<LaunchOptions['timing']>;
  /** Another build than `dist/`. */
  entry?: NonNullable<LaunchOptions['entry']>;
}

export async function startStack(
  options: StackOptions = {},
): Promise<Stack & { stop(): Promise<void> }> {
  const home = mkdtempSync(join(options.folder ?? realpathSync(tmpdir()), 'home-'));
  if (options.config) writeFileSync(join(home, 'config.json'), JSON.stringify(options.config));
  const launcher = await launch({
    home,
    port: 0,
    readConfig: () => loadConfig(home),
    env: { ...process.env, ...options.env },
    onEvent: () => {},
    ...(options.timing ? { timing: options.timing } : {}),
    ...(options.entry ? { entry: options.entry } : {}),
  });
  await launcher.ready;
  const { url, token } = discover(home);
  const client = createClient({ url, token });
  const paths = homePaths(home);
  const pidIn = (file: string) => (JSON.parse(readFileSync(file, 'utf8')) as { pid: number }).pid;
  const pid: Stack['pid'] = (name) => {
    if (name === 'engine') return readEngineFile(home)!.pid;
    return pidIn(name === 'server' ? paths.serverPidFile : paths.hostPidFile);
  };
  return {
    home,
    launcher,
    client,
    token,
    url,
    pid,
    kill: (name) => process.kill(pid(name), 'SIGKILL'),
    start: (prompt, more = {}) =>
      client.call('runSubagent', {
        runnerId: 'demo',
        executionMode: 'ASYNC_POLL',
        prompt,
        ...more,
      }),
    ended: (id, seconds = 30) =>
      until(
        () => client.call('getSubagent', { id }),
        (record) => isFinal(record.status),
        seconds,
      ),
    async transcript(id) {
      const turns: Turn[] = [];
      for (let after: number | null = 0; after !== null;) {
        const page: { turns: Turn[]; nextAfter: number | null } = await client.call(
          'getTranscript',
          { id, after, limit: 500 },
        );
        turns.push(...page.turns);
        after = page.nextAfter;
      }
      return turns;
    },
    async stop() {
      await launcher.stop();
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Asks again and again until the answer is as wanted; says what the last one was if it never is. */
export async function until<T>(
  ask: () => Promise<T>,
  isWanted: (answer: T) => boolean,
  seconds = 30,
): Promise<T> {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    const answer = await ask();
    if (isWanted(answer)) return answer;
    if (Date.now() > deadline) {
      throw new Error(`not within ${seconds} s: ${JSON.stringify(answer).slice(0, 2000)}`);
    }
    await sleep(50);
  }
}
