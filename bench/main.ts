/** `npm run bench`: a stack of its own, and each figure beside its floor, alternating in one run. */
import {
  closeSync,
  fdatasyncSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, discover, type OffshootClient } from '../client/index.ts';
import { loadConfig } from '../config/index.ts';
import { launch } from '../launcher/index.ts';
import { median, quantile } from './statistics.ts';

const ROUNDS = 200;
const WARM_UP = 30;
const home = mkdtempSync(join(tmpdir(), 'offshoot-bench-'));
const cat = { kind: 'command', command: 'cat' };
writeFileSync(join(home, 'config.json'), JSON.stringify({ runners: { cat } }));

const started = performance.now();
const launcher = await launch({
  home,
  port: 0,
  config: loadConfig(home),
  env: process.env,
  onEvent: () => {},
});
await launcher.ready;
const upMs = performance.now() - started;
try {
  const client = createClient(discover(home));
  say('machine', `${cpus().length} × ${cpus()[0]?.model ?? '?'}, Node ${process.version}`);
  say('stack up, warm', `${upMs.toFixed(0)} ms`);
  await compare(
    'accept ASYNC_POLL',
    () => accept(client),
    'echo POST + 8 kB fdatasync',
    await echo(),
  );
  await compare('SYNC cat as a root', () => sync(client), 'spawn of cat', spawnCat);
} finally {
  await launcher.stop();
  rmSync(home, { recursive: true, force: true });
}
process.exit(0);

/** Both sides take turns, and who goes first does too. */
async function compare(
  name: string,
  ours: () => Promise<void>,
  floorName: string,
  floor: () => Promise<void>,
): Promise<void> {
  const times: [number[], number[]] = [[], []];
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    const order = round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const);
    for (const side of order) {
      const begin = performance.now();
      await (side === 0 ? ours() : floor());
      if (round >= 0) times[side].push(performance.now() - begin);
    }
  }
  const [mine, base] = times;
  say(name, `p50 ${median(mine).toFixed(1)} ms, p99 ${quantile(mine, 0.99).toFixed(1)} ms`);
  say(
    `  / ${floorName}`,
    `p50 ${median(base).toFixed(1)} ms, ratio ${(median(mine) / median(base)).toFixed(2)}`,
  );
}

async function accept(client: OffshootClient): Promise<void> {
  await client.call('runSubagent', { runnerId: 'cat', prompt: 'x', executionMode: 'ASYNC_POLL' });
}

async function sync(client: OffshootClient): Promise<void> {
  const record = await client.call('runSubagent', { runnerId: 'cat', prompt: 'x' });
  if (record.status !== 'completed') throw new Error(`${record.status}: ${record.error}`);
}

async function spawnCat(): Promise<void> {
  const child = spawn('cat', { stdio: ['pipe', 'ignore', 'ignore'] });
  child.stdin.end('x');
  await once(child, 'exit');
}

/** What accepting cannot do without: one request over loopback, and one flush of the disk. */
async function echo(): Promise<() => Promise<void>> {
  const file = openSync(join(home, 'floor'), 'w');
  const block = Buffer.alloc(8192);
  writeSync(file, block);
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      writeSync(file, block, 0, block.length, 0);
      fdatasyncSync(file);
      response.end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  process.once('exit', () => closeSync(file));
  const { port } = server.address() as { port: number };
  return async () => {
    await (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: 'x' })).text();
  };
}

function say(name: string, figure: string): void {
  process.stdout.write(`${name.padEnd(34)} ${figure}\n`);
}
