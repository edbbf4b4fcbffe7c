/** `config check | show | path`. Needs no server. */
import type { Command } from 'commander';
import { homePaths } from '../../contract/home.ts';
import type { Cli, CliDeps } from '../deps.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { jsonOption } from '../option-values.ts';
import { writeJson } from '../write-json.ts';

export function addConfigCommand(program: Command, { action }: Cli): void {
  const config = program.command('config').description("the home's configuration");
  config
    .command('check')
    .description('check it, and name every mistake')
    .addOption(jsonOption())
    .action(action(check));
  config
    .command('show')
    .description('print it with every default filled in')
    .addOption(jsonOption())
    .action(action(show));
  config
    .command('path')
    .description('print where it is, or would be')
    .addOption(jsonOption())
    .action(action(path));
}

async function check({ home, out }: CliDeps, { json }: { json?: boolean }): Promise<ExitCode> {
  const { configFile, loadConfig } = await import('../../config/index.ts');
  const { runners } = loadConfig(home);
  const file = configFile(home);
  const names = Object.keys(runners);
  if (json) writeJson(out, { ok: true, file, runners: names });
  else {
    const what = names.length === 0 ? 'no runners of its own' : `runners: ${names.join(', ')}`;
    out.write(`${file ?? 'There is no file; every default holds'}: ok, ${what}\n`);
  }
  return exitCodes.ok;
}

async function show({ home, out }: CliDeps, { json }: { json?: boolean }): Promise<ExitCode> {
  const { loadConfig } = await import('../../config/index.ts');
  const config = loadConfig(home);
  if (json) writeJson(out, config);
  else out.write((await import('yaml')).stringify(config));
  return exitCodes.ok;
}

async function path({ home, out }: CliDeps, { json }: { json?: boolean }): Promise<ExitCode> {
  const { configFile } = await import('../../config/index.ts');
  const file = configFile(home);
  const exists = file !== null;
  const shown = file ?? homePaths(home).configFiles[0];
  if (json) writeJson(out, { path: shown, exists });
  else out.write(`${shown}\n`);
  return exitCodes.ok;
}
