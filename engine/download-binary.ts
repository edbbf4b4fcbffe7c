import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { pinnedCli } from './versions.ts';

export const officialDownloads = 'https://temporal.download';

/** Where there is no network, it must be known before a person wonders. */
const answerMs = 4_000;
/** A download that stands still this long does not come any more. */
const stallMs = 15_000;
const tellEveryMs = 3_000;

export interface DownloadDeps {
  downloadUrl: string;
  onProgress: (line: string) => void;
  signal?: AbortSignal;
}

/** Fetches the official archive of the pinned version and leaves its binary at `target`. */
export async function downloadBinary(deps: DownloadDeps, target: string): Promise<void> {
  const folder = await mkdtemp(join(dirname(target), 'download-'));
  try {
    const archive = join(folder, 'temporal.tar.gz');
    await fetchTo(deps, archiveUrl(deps.downloadUrl), archive);
    // tar is part of every system that we run on, and npm packages for it are larger than this file.
    await promisify(execFile)('tar', ['-xzf', archive, '-C', folder, 'temporal']);
    await rename(join(folder, 'temporal'), target);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function archiveUrl(base: string): string {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch;
  return `${base}/cli/archive/v${pinnedCli}?platform=${process.platform}&arch=${arch}`;
}

async function fetchTo(deps: DownloadDeps, url: string, file: string): Promise<void> {
  const abort = new AbortController();
  const giveUp = (why: string) => abort.abort(new Error(why));
  let timer = setTimeout(giveUp, answerMs, `no answer within ${answerMs / 1000} s`);
  const stop = () => giveUp('stopped');
  deps.signal?.addEventListener('abort', stop);
  try {
    const response = await fetch(url, { signal: abort.signal });
    if (!response.ok || response.body === null) throw new Error(`HTTP status ${response.status}`);
    const sizeMB = Number(response.headers.get('content-length') ?? 0) / 1e6;
    let bytes = 0;
    let toldAt = Date.now();
    const body = Readable.fromWeb(response.body);
    body.on('data', (chunk: Buffer) => {
      clearTimeout(timer);
      timer = setTimeout(giveUp, stallMs, `nothing came for ${stallMs / 1000} s`);
      bytes += chunk.length;
      if (Date.now() - toldAt < tellEveryMs) return;
      toldAt = Date.now();
      const of = sizeMB > 0 ? ` of ${sizeMB.toFixed(0)}` : '';
      deps.onProgress(`downloading: ${(bytes / 1e6).toFixed(0)}${of} MB`);
    });
    await pipeline(body, createWriteStream(file), { signal: abort.signal });
  } finally {
    deps.signal?.removeEventListener('abort', stop);
    clearTimeout(timer);
  }
}
