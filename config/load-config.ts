/** Reads the home's configuration, from `config.yaml` or `config.json`. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { parse as parseYaml } from 'yaml';
import { configSchema, type Config } from '../contract/config.ts';
import { AppError } from '../contract/errors.ts';
import { homePaths } from '../contract/home.ts';
import { describeIssues, issueWords } from '../contract/issues.ts';
import { limits } from '../contract/limits.ts';
import { checkCommands } from './check-commands.ts';
import { ConfigError } from './config-error.ts';

/** No file means that every default holds. */
export function loadConfig(home: string): Config {
  const file = configFile(home);
  return file === null ? configSchema.parse({}) : parseConfig(file, read(file));
}

/** The file in use, or null. Two files would leave it open which of them counts. */
export function configFile(home: string): string | null {
  const files = homePaths(home).configFiles.filter((file) => existsSync(file));
  if (files.length <= 1) return files[0] ?? null;
  throw new AppError('config_invalid', `There are two configurations: ${files.join(' and ')}.`, {
    hint: 'Keep one of them and remove the other.',
  });
}

function parseConfig(file: string, text: string): Config {
  const given = parseText(file, text);
  const parsed = configSchema.safeParse(given, { error: issueWords });
  const ofForm = parsed.success ? [] : describeIssues(parsed.error).split('\n');
  const mistakes = [...ofForm, ...checkCommands(given)];
  if (parsed.success && mistakes.length === 0) return parsed.data;
  throw new ConfigError(file, mistakes, parsed.error);
}

/** An empty file is an empty configuration: that is what is left when all is commented out. */
function parseText(file: string, text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return (file.endsWith('.json') ? JSON.parse(text) : parseYaml(text)) ?? {};
  } catch (cause) {
    const [reason] = (cause as Error).message.split('\n');
    const kind = file.endsWith('.json') ? 'JSON' : 'YAML';
    throw new AppError('config_invalid', `${file} is not ${kind}: ${reason?.replace(/:$/, '')}`, {
      cause,
      hint: 'Mend that line, then: offshoot config check',
    });
  }
}

function read(file: string): string {
  try {
    const stat = statSync(file);
    // A pipe, or a device behind a link, may never come to its end; nor would whoever reads it.
    if (!stat.isFile()) throw new Error('it is no regular file');
    refuseLarge(file, stat.size);
    return readFileSync(file, 'utf8');
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError('config_invalid', `${file} cannot be read: ${(cause as Error).message}`, {
      cause,
      hint: 'Put a file that can be read in its place, then: offshoot config check',
    });
  }
}

/** It is read again for as long as it has a mistake, by a server that answers nobody meanwhile. */
function refuseLarge(file: string, bytes: number): void {
  if (bytes <= limits.configBytesMax) return;
  throw new AppError(
    'config_invalid',
    `${file} has ${bytes} bytes; ${limits.configBytesMax} are the most that are read`,
  );
}
