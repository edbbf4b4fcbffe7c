import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { AppError } from '../contract/errors.ts';

/** A file with mistakes in it, each in one line: the key, what is wrong, what to do. */
export class ConfigError extends AppError {
  readonly file: string;
  readonly mistakes: readonly string[];

  constructor(file: string, mistakes: readonly string[], cause?: unknown) {
    const message =
      mistakes.length === 1
        ? `${file}: ${mistakes[0]}`
        : `${file} has ${mistakes.length} mistakes:\n${mistakes.map((line) => `  ${line}`).join('\n')}`;
    super('config_invalid', message, { cause, hint: whereKeysAreDescribed() });
    this.file = file;
    this.mistakes = mistakes;
  }
}

/** Beside the sources and beside `dist/`; by its full path, as a reader may be anywhere. */
function whereKeysAreDescribed(): string {
  const places = ['../docs/configuration.md', '../../docs/configuration.md'];
  const file = places
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((path) => existsSync(path));
  return file === undefined
    ? '`offshoot config show` prints every key with its value.'
    : `Every key is described in ${file}`;
}
