/**
 * Makes `dist/`: the sources as JavaScript, what they read beside them, the hook command in one file, and the workflow bundle.
 * Types are checked by `npm run check`, not here, so that a build takes a second and not ten.
 */
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { withLock } from './lock.mjs';
import { runProgram, tellStep } from './run-step.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const stampFile = join(dist, '.stamp.json');
const bundleFile = join(dist, 'workflow-bundle.js');
const notSource = new Set(['node_modules', 'dist', 'docs', 'bin', 'scripts', 'test']);
const copied = /\.(sql|mjs)$|^engine\/go\.(mod|sum)$|^bench\/quality\/.+\.txt$/;

export async function build() {
  const lock = join(root, '.build.lock');
  const onWait = (pid) => console.log(`build: waiting for process ${pid}, which builds already`);
  await withLock(lock, onWait, async () => {
    const files = sourceFiles();
    const stamp = { sources: hashOf(root, files), bundle: null };
    const before = readStamp();
    if (isOf(before, stamp.sources)) return;
    if (before?.sources !== stamp.sources) {
      await tellStep({ title: 'build: dist/' }, () => compile(files, before));
    }
    await bundle(stamp, before);
    writeAtomically(stampFile, JSON.stringify(stamp));
  });
}

async function compile(files, before) {
  const fresh = join(root, `.dist-${process.pid}`);
  const old = join(root, `.dist-${process.pid}-old`);
  try {
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const args = [tsc, '-p', join(root, 'tsconfig.build.json'), '--outDir', fresh];
    const { code, tail } = await runProgram(process.execPath, args);
    if (code !== 0) throw new Error(`build: tsc failed\n${tail}`);
    await bundleQuickStarters(fresh);
    for (const file of files.filter((name) => copied.test(name))) {
      mkdirSync(dirname(join(fresh, file)), { recursive: true });
      copyFileSync(join(root, file), join(fresh, file));
    }
    // The old bundle serves until the new one is there; most builds do not change it at all.
    if (before?.bundle) cpSync(bundleFile, join(fresh, 'workflow-bundle.js'));
    if (existsSync(dist)) renameSync(dist, old);
    renameSync(fresh, dist);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
    rmSync(old, { recursive: true, force: true });
  }
}

/**
 * The hook command runs at every prompt of an agent program, the demo agent at every turn: from one file instead of 17
 * and 300 they start 10 and 80 ms sooner.
 */
async function bundleQuickStarters(folder) {
  const { build: bundleFiles } = await import('esbuild');
  const demoAgent = 'runners/demo-agent/main';
  await bundleFiles({
    entryPoints: {
      hook: join(folder, 'cli/hook/main.js'),
      [demoAgent]: join(folder, `${demoAgent}.js`),
    },
    outdir: folder,
    allowOverwrite: true,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    // Of what they bring with them some is CommonJS.
    banner: {
      js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`,
    },
    logLevel: 'warning',
  });
}

/** Workflows may import workflows, domain and contract; the SDK's version is in the lock file. */
async function bundle(stamp, before) {
  const entry = join(dist, 'workflows/index.js');
  if (!existsSync(entry)) return;
  const inputs = ['workflows', 'domain', 'contract'].flatMap((name) => list(join(dist, name)));
  const files = inputs.filter((path) => path.endsWith('.js')).map((path) => relative(dist, path));
  stamp.bundle = hashOf(dist, files.toSorted(), join(root, 'package-lock.json'));
  if (before?.bundle === stamp.bundle && existsSync(bundleFile)) return;
  await tellStep({ title: 'build: workflow bundle' }, async () => {
    const { bundleWorkflowCode, DefaultLogger } = await import('@temporalio/worker');
    const logger = new DefaultLogger('WARN');
    const { code } = await bundleWorkflowCode({ workflowsPath: entry, logger });
    writeAtomically(bundleFile, code);
  });
}

/** Whether there is nothing left to be built. */
export function isBuilt() {
  return isOf(readStamp(), hashOf(root, sourceFiles()));
}

function isOf(stamp, sources) {
  return stamp?.sources === sources && (stamp.bundle === null || existsSync(bundleFile));
}

function sourceFiles() {
  const folders = readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .filter((entry) => !notSource.has(entry.name));
  const files = folders
    .flatMap((entry) => list(join(root, entry.name)))
    .map((path) => relative(root, path))
    .filter((name) => name.endsWith('.ts') || copied.test(name));
  const how = ['tsconfig.json', 'tsconfig.build.json', 'package-lock.json', 'scripts/build.mjs'];
  return [...files, ...how].toSorted();
}

function list(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === 'node_modules') return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? list(path) : [path];
  });
}

function hashOf(base, names, ...more) {
  const hash = createHash('sha256');
  for (const name of names) hash.update(`${name}\0`).update(readFileSync(join(base, name)));
  for (const path of more) hash.update(readFileSync(path));
  return hash.digest('hex');
}

function readStamp() {
  try {
    return JSON.parse(readFileSync(stampFile, 'utf8'));
  } catch {
    return null;
  }
}

function writeAtomically(path, text) {
  const fresh = `${path}.${process.pid}`;
  writeFileSync(fresh, text);
  renameSync(fresh, path);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    await build();
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
