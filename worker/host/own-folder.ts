import { mkdirSync } from 'node:fs';
import { isBelow } from '../../domain/is-below.ts';

/** Work that was given no workspace has a folder of its own, made where and when it runs. */
export function makeOwnFolder(workspacePath: string, workFolder: string): void {
  if (isBelow(workFolder, workspacePath)) {
    mkdirSync(workspacePath, { recursive: true, mode: 0o700 });
  }
}
