/** Findings about the home's own files: who may read them, what they say, how much room there is. */
import { statSync, statfsSync } from 'node:fs';
import { homePaths } from '../../contract/home.ts';
import { AppError } from '../../contract/errors.ts';
import type { Finding } from '../render/findings.ts';

/** Transcripts and the engine's database grow by this in a busy day or two. */
const freeBytesMin = 1024 ** 3;

export function checkHomeFiles(home: string): Finding[] {
  const { token, secret, secrets } = homePaths(home);
  return [...[token, secret, secrets].flatMap(checkMode), checkDisk(home)];
}

/** Whoever reads the token or the secret is this home's administrator. */
function checkMode(path: string): Finding[] {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return [];
  const name = `${path.split('/').at(-1)} file`.replace('secrets file', 'secrets');
  const mode = (stat.mode & 0o777).toString(8).padStart(4, '0');
  const isGood = (stat.mode & 0o077) === 0;
  const wanted = stat.isDirectory() ? '0700' : '0600';
  return [
    {
      name,
      isGood,
      detail: isGood ? `only you can read it (${mode})` : `others can read ${path} (${mode})`,
      remedy: isGood ? null : `chmod ${wanted} '${path}', then replace what they may have read`,
    },
  ];
}

function checkDisk(home: string): Finding {
  const { bavail, bsize } = statfsSync(home);
  const free = bavail * bsize;
  const isGood = free >= freeBytesMin;
  return {
    name: 'disk',
    isGood,
    detail: `${(free / 1024 ** 3).toFixed(1)} GiB free`,
    remedy: isGood ? null : `free some room on the disk of ${home}`,
  };
}

export async function checkConfig(home: string): Promise<Finding> {
  const { configFile, loadConfig } = await import('../../config/index.ts');
  try {
    loadConfig(home);
    const detail = configFile(home) ?? 'no file, every default holds';
    return { name: 'configuration', isGood: true, detail, remedy: null };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return {
      name: 'configuration',
      isGood: false,
      detail: error.message,
      remedy: error.hint ?? 'mend the file, then: offshoot config check',
    };
  }
}
