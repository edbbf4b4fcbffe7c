/** Copies of the store: taking, checking, and putting them back. */
export { backupFolder, createBackups, type Backups } from './backups.ts';
export { checkDatabase } from './check-database.ts';
export { listBackups, newestBackup } from './folder.ts';
export { backupOffline, checkOffline, foldOffline } from './offline.ts';
export { decidedName, finishRestore, stagedName } from './finish-restore.ts';
export { rescueDatabase, rescueWhenLost } from './rescue.ts';
export { restoreBackup } from './restore.ts';
export { startSchedule } from './schedule.ts';
export { lostDatabase } from '../store/openings.ts';
