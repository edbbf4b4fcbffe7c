/** Numbered SQL files, forward only. An older database is copied before it is changed. */
import { readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { AppError } from '../contract/errors.ts';
import type { Db } from './database.ts';

const folder = fileURLToPath(new URL('./migrations', import.meta.url));

export function migrate(db: Db, file: string): void {
  const files = migrationFiles();
  const have = schemaOf(db);
  if (have > files.length) {
    throw new AppError(
      'database_newer',
      `${file} was written by a newer Offshoot (schema ${have}, this one knows ${files.length})`,
      { hint: 'Update Offshoot, or point OFFSHOOT_HOME at another folder.' },
    );
  }
  if (have === files.length) return;
  if (have > 0) keepCopy(db, `${file}.schema-${String(have).padStart(4, '0')}`);
  for (const [index, name] of files.entries()) {
    if (index < have) continue;
    const sql = readFileSync(`${folder}/${name}`, 'utf8');
    db.exec(`BEGIN IMMEDIATE;\n${sql}\nPRAGMA user_version = ${index + 1};\nCOMMIT;`);
  }
}

/** How many migrations it has seen; 0 before the first. */
export const schemaOf = (db: Db) =>
  db.get<{ user_version: number }>('PRAGMA user_version')!.user_version;

/** The schema of a database with every migration. */
export const knownSchema = () => migrationFiles().length;

function migrationFiles(): string[] {
  return readdirSync(folder)
    .filter((name) => /^\d{4}-.+\.sql$/.test(name))
    .sort();
}

/** Named by the schema it holds. A copy that a kill cut short must not pass for one. */
function keepCopy(db: Db, copy: string): void {
  const half = `${copy}.half`;
  rmSync(half, { force: true });
  try {
    db.run('VACUUM INTO :half', { half });
  } catch (error) {
    // What there was of room, others need to go on.
    rmSync(half, { force: true });
    throw error;
  }
  renameSync(half, copy);
}
