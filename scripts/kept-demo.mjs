/** The demo with its stack kept up, for scripts that look at what it left in the engine. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const demoFile = fileURLToPath(new URL('../dist/demo/main.js', import.meta.url));

/** Calls `look` with the demo's records and with where its engine is; ends the stack afterwards. */
export async function withKeptDemo(look) {
  const home = mkdtempSync(join(tmpdir(), 'offshoot-kept-'));
  const demo = spawn(process.execPath, [demoFile, '--keep', '--home', home], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await untilKept(demo.stdout);
    demo.stdout.resume();
    const { url, tokenFile, temporal } = JSON.parse(
      readFileSync(join(home, 'server.json'), 'utf8'),
    );
    const headers = { authorization: `Bearer ${readFileSync(tokenFile, 'utf8').trim()}` };
    const { items } = await (await fetch(`${url}/api/subagents`, { headers })).json();
    await look({ items, temporal });
  } finally {
    demo.kill('SIGINT');
    await once(demo, 'exit');
    rmSync(home, { recursive: true, force: true });
  }
}

async function untilKept(output) {
  let text = '';
  for await (const chunk of output.iterator({ destroyOnReturn: false })) {
    text += chunk;
    if (text.includes('It stays up until Ctrl-C')) return;
  }
  throw new Error(`the demo has ended:\n${text}`);
}
