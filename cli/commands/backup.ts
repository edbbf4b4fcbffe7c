/** `backup` and `restore`: copies of the store, and putting one back. */
import { existsSync, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { AppError } from '../../contract/errors.ts';
import { homePaths } from '../../contract/home.ts';
import type { Backup } from '../../contract/system-records.ts';
import { makeHome } from '../../launcher/make-home.ts';
import { connect } from '../connect.ts';
import type { Cli, CliDeps } from '../deps.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { jsonOption } from '../option-values.ts';
import { withProgress } from '../progress.ts';
import { renderBackups, type ListedBackup } from '../render/backups.ts';
import { formatBytes } from '../render/bytes.ts';
import { createStyle } from '../render/style.ts';
import { usageError } from '../report-error.ts';
import { writeJson } from '../write-json.ts';

export function addBackupCommands(program: Command, { action }: Cli): void {
  program
    .command('backup')
    .description('copy the store, also while it is in use, and verify the copy')
    .option('--to <file>', 'a new file; else one by time in the folder of backups')
    .addOption(jsonOption())
    .action(action(backup));
  program
    .command('restore')
    .description('put a backup in the place of the store; needs everything stopped')
    .argument('[file]', 'a backup; without one, lists those there are and exits with 2')
    .addOption(jsonOption())
    .action(action(restore));
}

async function backup(
  deps: CliDeps,
  { to, json }: { to?: string; json?: boolean },
): Promise<ExitCode> {
  const file = to === undefined ? null : resolve(deps.cwd, to);
  const taken = await withProgress(deps, 'copying', takeBackup(deps, file));
  if (json) writeJson(deps.out, taken);
  else deps.out.write(`${taken.file}: ${formatBytes(taken.bytes)}, verified\n`);
  return exitCodes.ok;
}

/** By the server that has the home; without one, by this process, which takes the home meanwhile. */
async function takeBackup(deps: CliDeps, file: string | null): Promise<Backup> {
  const { environment, home } = deps;
  const isNamed = environment.url !== null && environment.token !== null;
  if (isNamed || existsSync(homePaths(home).serverFile)) {
    try {
      return await connect(deps).call('takeBackup', file === null ? {} : { to: file });
    } catch (error) {
      const isAway = error instanceof AppError && error.code === 'server_unavailable';
      // A server that was killed leaves its file behind; whether it lives, the lock of the home says.
      if (!isAway || isNamed) throw error;
    }
  }
  makeHome(home);
  const { backupOffline } = await import('../../backup/index.ts');
  const { loadConfig } = await import('../../config/index.ts');
  return await backupOffline(homePaths(home), loadConfig(home).backup, file);
}

async function restore(
  deps: CliDeps,
  given: string | undefined,
  { json }: { json?: boolean },
): Promise<ExitCode> {
  const { home, cwd, now, out } = deps;
  if (given === undefined) return showBackups(deps, json ?? false);
  const { runningLauncher } = await import('../../launcher/launcher-file.ts');
  const launcher = runningLauncher(home);
  if (launcher !== null) {
    throw new AppError('home_in_use', `${home} is looked after by process ${launcher.pid}`, {
      hint: 'Stop everything first: offshoot down',
    });
  }
  makeHome(home);
  const { restoreBackup } = await import('../../backup/index.ts');
  const path = resolve(cwd, given);
  const file = existsSync(path) ? realpathSync(path) : path;
  const work = restoreBackup(homePaths(home), file, new Date(now()));
  const restored = await withProgress(deps, 'restoring', work);
  if (json) writeJson(out, restored);
  else {
    out.write(`The store is as it was at ${restored.takenAt}.\n`);
    if (restored.replaced !== null) out.write(`What was there is kept: ${restored.replaced}\n`);
    out.write(
      'At the next `offshoot up` what was open then ends as outcome_unknown, or runs again where its runner says onLost: rerun.\n',
    );
  }
  return exitCodes.ok;
}

/** Nothing was put back, and no script shall think so: it ends as what was called in a wrong way. */
async function showBackups({ home, out }: CliDeps, json: boolean): Promise<never> {
  const { backupFolder, listBackups } = await import('../../backup/index.ts');
  const { loadConfig } = await import('../../config/index.ts');
  const folder = backupFolder(homePaths(home), loadConfig(home).backup);
  const backups = listBackups(folder).flatMap(({ file, at }): ListedBackup[] => {
    // One that is too old may be removed just now.
    const bytes = statSync(file, { throwIfNoEntry: false })?.size;
    return bytes === undefined ? [] : [{ file, takenAt: new Date(at).toISOString(), bytes }];
  });
  if (json) writeJson(out, { backups });
  else if (backups.length > 0) {
    out.write(renderBackups(backups, { style: createStyle(out.hasColor), width: out.columns }));
  }
  if (backups.length === 0) {
    throw usageError(`There is no backup in ${folder}.`, '`offshoot backup` takes one.');
  }
  throw usageError(
    'No backup was named.',
    '`offshoot restore <file>` puts one back; `offshoot backup` takes one now.',
  );
}
