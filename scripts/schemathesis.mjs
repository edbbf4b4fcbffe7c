/**
 * Gets the program that fuzzes the HTTP API from its OpenAPI document. It is Python, so it goes into an
 * environment of its own in the user's cache: one for each set of pinned versions.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from './lock.mjs';
import { runProgram, tellStep } from './run-step.mjs';

const requirements = fileURLToPath(new URL('../test/fuzz/requirements.txt', import.meta.url));

/** The path of `st`, installed now if it is not there yet. */
export async function getSchemathesis() {
  const folder = schemathesisFolder();
  // Written last: what was broken off on the way is made anew.
  const whole = join(folder, 'installed');
  if (!existsSync(whole)) {
    mkdirSync(dirname(folder), { recursive: true });
    await withLock(`${folder}.lock`, waiting, () => existsSync(whole) || install(folder, whole));
  }
  return join(folder, 'bin/st');
}

/** An empty HOME is as good as none: the folder would be in the clone. */
export function schemathesisFolder() {
  const pinned = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12);
  const cache = process.env.XDG_CACHE_HOME || join(userFolder(), '.cache');
  return join(cache, 'offshoot', `schemathesis-${pinned}`);
}

const userFolder = () => homedir() || userInfo().homedir;

function waiting(pid) {
  console.log(`setup: waiting for process ${pid}, which installs schemathesis already`);
}

async function install(folder, whole) {
  rmSync(folder, { recursive: true, force: true });
  await tellStep({ title: 'setup: schemathesis, which fuzzes the HTTP API' }, async () => {
    await run('python3', ['-m', 'venv', folder]);
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps'];
    await run(join(folder, 'bin/python'), [...pip, '-r', requirements]);
  });
  writeFileSync(whole, '');
}

async function run(command, args) {
  // Python and pip keep their own things below HOME.
  const env = { ...process.env, HOME: userFolder() };
  const { code, tail } = await runProgram(command, args, { env });
  if (code === 0) return;
  throw Object.assign(new Error(`${command} ${args[1]} failed with exit code ${code}:\n${tail}`), {
    hint: 'Fuzzing the API needs Python 3.10 or newer with venv (Debian: python3-venv), and a package index that pip can reach.',
  });
}
