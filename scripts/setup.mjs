/**
 * What `npm run demo`, `npm test` and `npm start` call first: installs, builds and, with `--engine`,
 * gets the Temporal dev server, with `--fuzzer` what fuzzes the API, each only where it is missing or out
 * of date.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, isBuilt } from './build.mjs';
import { withLock } from './lock.mjs';
import { runProgram, tellStep } from './run-step.mjs';
import { getSchemathesis } from './schemathesis.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const slow = 'the first time SQLite is compiled, which takes about 2 minutes';

try {
  checkNode();
  const hasInstalled = await withLock(join(root, '.setup.lock'), waiting, install);
  if (hasInstalled) requireBuilt();
  else await build();
  if (process.argv.includes('--engine')) await getEngine();
  if (process.argv.includes('--fuzzer')) await getSchemathesis();
} catch (error) {
  console.error(`setup: ${error.message}${error.hint ? `\n${error.hint}` : ''}`);
  process.exitCode = 1;
}

function waiting(pid) {
  console.log(`setup: waiting for process ${pid}, which installs already`);
}

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  throw new Error(`Node ${process.versions.node} is too old: Offshoot needs 20.19 or newer.`);
}

/** Answers whether it had to install. */
async function install() {
  const why = whyStale();
  if (why !== null) {
    await npm(`npm ci (${why})`, ['ci']);
  }
  if (!isSqliteUsable()) {
    await npm('npm rebuild better-sqlite3 (it does not load in this Node)', [
      'rebuild',
      'better-sqlite3',
    ]);
  }
  return why !== null;
}

/** npm has built, by `prepare`. To build here as well would hide it from us when it does not for others. */
function requireBuilt() {
  if (isBuilt()) return;
  throw Object.assign(new Error('npm ci has not built dist/.'), {
    hint: "Look at `prepare` in package.json, and at `ignore-scripts` in npm's configuration.",
  });
}

/** Compares what the lock file asks for with what npm noted when it installed. */
function whyStale() {
  const wanted = packagesOf(join(root, 'package-lock.json'));
  const found = packagesOf(join(root, 'node_modules/.package-lock.json'));
  if (found === null) return 'nothing is installed yet';
  for (const [path, { version, optional, devOptional }] of Object.entries(wanted)) {
    if (path === '' || found[path]?.version === version) continue;
    // Binaries for other platforms stand in the lock file and are not installed.
    if (found[path] === undefined && (optional || devOptional)) continue;
    return `${path.replace('node_modules/', '')} is not ${version}`;
  }
  return null;
}

function packagesOf(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).packages : null;
}

/** False when it was built for another Node, or its install script was not allowed to run. */
function isSqliteUsable() {
  try {
    const Database = createRequire(import.meta.url)('better-sqlite3');
    new Database(':memory:').close();
    return true;
  } catch {
    return false;
  }
}

async function npm(title, args) {
  const env = { ...process.env };
  const prefix = headersPrefix();
  // Without this node-gyp downloads Node's headers, which fails where only the registry is reachable.
  if (prefix !== null) env.npm_config_nodedir ??= prefix;
  const ownNpm = process.env.npm_execpath?.endsWith('npm-cli.js') ? process.env.npm_execpath : null;
  const [command, first] = ownNpm ? [process.execPath, [ownNpm]] : ['npm', []];
  await tellStep({ title: `setup: ${title}`, remark: slow }, async () => {
    const { code, tail } = await runProgram(command, [...first, ...args], { cwd: root, env });
    if (code !== 0) throw new Error(`npm ${args[0]} failed with exit code ${code}:\n${tail}`);
  });
}

function headersPrefix() {
  const prefixes = [dirname(dirname(process.execPath)), '/usr'];
  return prefixes.find((path) => existsSync(join(path, 'include/node/node.h'))) ?? null;
}

async function getEngine() {
  const { prepareEngine } = await import(new URL('../dist/engine/main.js', import.meta.url).href);
  await prepareEngine((line) => console.log(`engine: ${line}`));
}
