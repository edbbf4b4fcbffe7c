/** `<home>/run/engine.json`: how server, CLI and the next launcher find the running dev server. */
import { homePaths } from '../contract/home.ts';
import { readPidFile, writePidFile } from './pid-file.ts';

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
  const found = readPidFile<EngineFile>(homePaths(home).engineFile);
  return typeof found?.address === 'string' ? found : null;
}

export function writeEngineFile(home: string, content: EngineFile): void {
  writePidFile(homePaths(home).engineFile, content);
}
