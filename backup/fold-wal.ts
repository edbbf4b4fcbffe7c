import { damagedDatabase } from '../domain/disk-trouble.ts';
import { openDatabase } from '../store/database.ts';
import { isWal } from '../store/has-database.ts';

/** Afterwards the database file holds everything. Throws where it is damaged, or somebody reads it. */
export function foldWal(database: string): void {
  const wal = `${database}-wal`;
  // SQLite would take it for none, and begin it anew.
  if (!isWal(wal)) throw damagedDatabase(wal, 'its header is none');
  const db = openDatabase(database);
  try {
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } finally {
    db.close();
  }
}
