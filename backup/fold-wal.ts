import { openDatabase } from '../store/database.ts';

/** Afterwards the database file holds everything. Throws where it is damaged, or somebody reads it. */
export function foldWal(database: string): void {
  const db = openDatabase(database);
  try {
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } finally {
    db.close();
  }
}
