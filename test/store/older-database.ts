/** Databases of earlier versions. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import BetterSqlite3 from 'better-sqlite3';

const migrations = fileURLToPath(new URL('../../store/migrations', import.meta.url));
export const migrationNames = readdirSync(migrations).sort();

/** As an earlier Offshoot left it, which knew only the first migrations. */
export function olderDatabase(file: string, version: number): void {
  const db = new BetterSqlite3(file);
  for (const name of migrationNames.slice(0, version))
    db.exec(readFileSync(join(migrations, name), 'utf8'));
  db.exec(`PRAGMA user_version = ${version}; INSERT INTO agents (id, name) VALUES ('old', 'old')`);
  db.close();
}

export const version = (file: string) => {
  const db = new BetterSqlite3(file, { readonly: true });
  const found: unknown = db.pragma('user_version', { simple: true });
  db.close();
  return found;
};
