/** Reads the home's configuration, from `config.yaml` or `config.json`. */
import { existsSync, readFileSync } from 'node:fs';
import { parse as parseYaml } from 'yaml';
import { configSchema, describeIssues, type Config } from '../contract/config.ts';
import { AppError } from '../contract/errors.ts';
import { homePaths } from '../contract/home.ts';

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
  const parsed = configSchema.safeParse(parseText(file, text));
  if (parsed.success) return parsed.data;
  const mistakes = describeIssues(parsed.error).split('\n');
  throw new AppError(
    'config_invalid',
    mistakes.length === 1
      ? `${file}: ${mistakes[0]}`
      : `${file} has ${mistakes.length} mistakes:\n${mistakes.map((line) => `  ${line}`).join('\n')}`,
    { cause: parsed.error, hint: 'Every key is described in docs/configuration.md.' },
  );
}

/** An empty file is an empty configuration: that is what is left when all is commented out. */
function parseText(file: string, text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return (file.endsWith('.json') ? JSON.parse(text) : parseYaml(text)) ?? {};
  } catch (cause) {
    const [reason] = (cause as Error).message.split('\n');
    const kind = file.endsWith('.json') ? 'JSON' : 'YAML';
    throw new AppError('config_invalid', `${file} is not ${kind}: ${reason}`, { cause });
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new AppError('config_invalid', `${file} cannot be read: ${(cause as Error).message}`, {
      cause,
    });
  }
}
