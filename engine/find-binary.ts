import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../contract/errors.ts';
import { buildBinary, findOnPath } from './build-binary.ts';
import { cachedBinary, fillCache } from './cache.ts';
import { downloadBinary, officialDownloads } from './download-binary.ts';
import { withFileLock } from './file-lock.ts';
import { probeBinary } from './probe-binary.ts';
import type { EngineVersion } from './versions.ts';

export interface FindDeps {
  /** OFFSHOOT_TEMPORAL_BIN. */
  temporalBin: string | null;
  path: string;
  cacheDir: string;
  env: Record<string, string | undefined>;
  onProgress: (line: string) => void;
  downloadUrl?: string;
  /** Ends a download or build that is under way. */
  signal?: AbortSignal;
}

export interface EngineBinary {
  path: string;
  version: EngineVersion;
  source: 'environment' | 'path' | 'cache' | 'download' | 'build';
}

/** One thing that was tried and did not give a binary. */
export interface FailedStep {
  step: string;
  result: string;
}

export type Found = { binary: EngineBinary; failed: FailedStep[] };
export type NotFound = { binary: null; failed: FailedStep[] };

const remedy =
  'Install the Temporal CLI (https://docs.temporal.io/cli) so that `temporal` is on PATH, ' +
  'or name its file in OFFSHOOT_TEMPORAL_BIN, or install Go so that it can be built here, ' +
  'or name a running Temporal in TEMPORAL_ADDRESS.';
const tellWaitingMs = 5_000;
const namedBy = 'OFFSHOOT_TEMPORAL_BIN';

/** The first usable binary: what the user named, what is installed, what we have, what we can get if we may. */
export async function findBinary(deps: FindDeps, mayObtain = true): Promise<EngineBinary> {
  const at = await locateBinary(deps);
  if (at.binary !== null) return at.binary;
  if (!mayObtain) throw notFound(at.failed);
  return await obtainBinary(deps, at.failed);
}

/** The steps that only look. Throws where the user names a file that cannot be used: another is not what was meant. */
export async function locateBinary(deps: FindDeps): Promise<Found | NotFound> {
  const named = await namedBinary(deps);
  if (named !== null) return { binary: named, failed: [] };
  const failed: FailedStep[] = [{ step: namedBy, result: 'is not set' }];
  const onPath = findOnPath(deps.path, 'temporal');
  const places = [
    { source: 'path', step: '`temporal` on PATH', file: onPath },
    { source: 'cache', step: 'our cache', file: cachedBinary(deps.cacheDir) },
  ] as const;
  for (const { source, step, file } of places) {
    const probe = file === null ? { refusal: 'there is none' } : await probeBinary(file);
    if ('version' in probe && file !== null) {
      return { binary: { path: file, version: probe.version, source }, failed };
    }
    const result = 'refusal' in probe ? probe.refusal : '';
    failed.push({ step, result });
    if (file !== null) deps.onProgress(`${step}: ${result}`);
  }
  return { binary: null, failed };
}

/** Null where none is named. */
export async function namedBinary({ temporalBin: path }: FindDeps): Promise<EngineBinary | null> {
  if (path === null) return null;
  const probe = await probeBinary(path);
  if ('version' in probe) return { path, version: probe.version, source: 'environment' };
  throw new AppError('config_invalid', `the file in ${namedBy} cannot be used: ${probe.refusal}`, {
    hint: `Name the file of a Temporal CLI in ${namedBy}, or unset it to have one found.`,
  });
}

/** Downloads or builds into the cache; a second process waits and takes what the first has made. */
export async function obtainBinary(
  deps: FindDeps,
  failed: FailedStep[],
  sources: readonly ('download' | 'build')[] = ['download', 'build'],
): Promise<EngineBinary> {
  const tried = [...failed];
  const path = cachedBinary(deps.cacheDir);
  try {
    return await withFileLock(`${path}.lock`, tellWaiting(deps), async () => {
      const there = await probeBinary(path);
      if ('version' in there) return { path, version: there.version, source: 'cache' as const };
      return await firstOf(deps, sources, path, tried);
    });
  } catch (error) {
    deps.signal?.throwIfAborted();
    if (error instanceof AppError) throw error;
    throw notFound([...tried, { step: 'writing to our cache', result: describe(error) }]);
  }
}

async function firstOf(
  deps: FindDeps,
  sources: readonly ('download' | 'build')[],
  path: string,
  tried: FailedStep[],
): Promise<EngineBinary> {
  for (const source of sources) {
    const step =
      source === 'download' ? 'the official download' : '`go build` of the pinned module';
    deps.onProgress(`trying ${step}`);
    try {
      return await obtainFrom(deps, source, path);
    } catch (error) {
      deps.signal?.throwIfAborted();
      const result = describe(error);
      deps.onProgress(`${step}: ${result}`);
      tried.push({ step, result });
    }
  }
  throw notFound(tried);
}

function notFound(tried: FailedStep[]): AppError {
  const lines = tried.map(({ step, result }) => `  ${step}: ${result}`);
  const message = `no Temporal CLI could be found or made:\n${lines.join('\n')}`;
  return new AppError('engine_unavailable', message, { hint: remedy });
}

function tellWaiting(deps: FindDeps): (holder: { pid: number }) => void {
  let tellAt = 0;
  return ({ pid }) => {
    if (Date.now() < tellAt) return;
    tellAt = Date.now() + tellWaitingMs;
    deps.onProgress(`waiting for process ${pid}, which is getting the same binary`);
  };
}

async function obtainFrom(
  deps: FindDeps,
  source: 'download' | 'build',
  path: string,
): Promise<EngineBinary> {
  const make = async (temporary: string) => {
    if (source === 'build') return await buildBinary(deps, temporary);
    const downloadUrl = deps.downloadUrl ?? officialDownloads;
    return await downloadBinary({ ...deps, downloadUrl }, temporary);
  };
  let version: EngineVersion | null = null;
  await fillCache(path, make, async (temporary) => {
    version = await probeFresh(temporary);
  });
  if (version === null) throw new Error('nothing was made');
  deps.onProgress(`it is ready in ${path}`);
  return { path, version, source };
}

/** A process that was forked while we wrote may hold the file open for a moment more: "text file busy". */
async function probeFresh(path: string): Promise<EngineVersion> {
  for (let triesLeft = 5; ; triesLeft -= 1) {
    const probe = await probeBinary(path);
    if ('version' in probe) return probe.version;
    if (!probe.refusal.includes('ETXTBSY') || triesLeft === 0) throw new Error(probe.refusal);
    await sleep(200);
  }
}

/** `fetch` says in its cause what was wrong. */
function describe(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { message?: string } };
  return cause?.message ? `${message} (${cause.message})` : (message ?? String(error));
}
