/** Findings about backups: whether there is one, and how old it is. */
import type { Config } from '../../contract/config.ts';
import { homePaths } from '../../contract/home.ts';
import { formatAge } from '../render/duration.ts';
import { ill, well, type Finding } from '../render/findings.ts';

const hourMs = 3_600_000;

export async function checkBackups(
  home: string,
  config: Config['backup'],
  now: number,
  isUp: boolean,
): Promise<Finding[]> {
  const { backupFolder, listBackups, newestBackup } = await import('../../backup/index.ts');
  const folder = backupFolder(homePaths(home), config);
  const kept = listBackups(folder);
  const newest = newestBackup(kept, now);
  const age = newest === undefined ? null : now - newest.at;
  const when = age === null ? 'dated ahead of now' : `the newest ${formatAge(age)}`;
  const said = kept.length === 0 ? `none in ${folder}` : `${kept.length} in ${folder}, ${when}`;
  if (config.everyHours === 0) return [well('backups', `${said}; none is taken by itself`)];
  // Twice the time, so that one that is just being taken is not missed.
  if (age !== null && age <= 2 * config.everyHours * hourMs) return [well('backups', said)];
  // The first comes within minutes, and none while nothing runs.
  if (!isUp || age === null) return [well('backups', said)];
  return [
    ill('warning', 'backups', {
      what: `${said}, and one is wanted every ${config.everyHours} h`,
      why: 'A disk that fails now takes all since then with it.',
      remedy: 'offshoot backup says what is in the way; server.log has it, too',
    }),
  ];
}
