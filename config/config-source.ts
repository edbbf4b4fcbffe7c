/** The configuration as it is now: read again when its file has changed, and only then. */
import { statSync } from 'node:fs';
import type { Config } from '../contract/config.ts';
import { homePaths } from '../contract/home.ts';
import { loadConfig } from './load-config.ts';

export interface ConfigSource {
  /** Throws `config_invalid` while the file has a mistake. */
  read(): Config;
  /** For work that is under way: while the file has a mistake, what held before it. */
  lastGood(): Config;
}

export function createConfigSource(home: string): ConfigSource {
  const files = homePaths(home).configFiles;
  let known: { stamp: string; config: Config } | null = null;
  function read(): Config {
    // Taken before reading: a change in between is then seen by the next call.
    const stamp = files.map(stampOf).join();
    if (known?.stamp !== stamp) known = { stamp, config: loadConfig(home) };
    return known.config;
  }

  function lastGood(): Config {
    try {
      return read();
    } catch (error) {
      // Whoever asks for something new is told of the mistake; what runs must not die of it.
      if (known === null) throw error;
      return known.config;
    }
  }

  return { read, lastGood };
}

/** Two edits within one tick of the clock mostly differ in size, and a replaced file in its inode. */
function stampOf(file: string): string {
  try {
    const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
    return stat ? `${stat.mtimeNs} ${stat.size} ${stat.ino}` : '';
  } catch (error) {
    // Behind a folder that may not be entered, or a link to itself: whoever loads it says what that means.
    return String((error as NodeJS.ErrnoException).code);
  }
}
