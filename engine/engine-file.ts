/** `<home>/run/engine.json`: how server, CLI and the next launcher find the running dev server. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { homePaths } from '../contract/home.ts';

export interface EngineFile {
  pid: number;
  /** With the pid it names one process for ever; see `process-identity.ts`. */
  start: string;
  startedAt: string;
  address: string;
  uiUrl: string;
  namespace: string;
  /** Of the Temporal server; each version has a database file of its own. */
  version: string;
  binary: string;
}

/** Null when there is none, also when it cannot be read: the next start writes a new one. */
export function readEngineFile(home: string): EngineFile | null {
  try {
    const found = JSON.parse(readFileSync(homePaths(home).engineFile, 'utf8')) as EngineFile;
    return typeof found.pid === 'number' && typeof found.address === 'string' ? found : null;
  } catch {
    return null;
  }
}

export function writeEngineFile(home: string, content: EngineFile): void {
  writeJsonFile(homePaths(home).engineFile, content);
}

/** Readers see the old content or the new one, never half of it. */
export function writeJsonFile(path: string, content: unknown): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(temporary, path);
}
