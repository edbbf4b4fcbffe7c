/** What SQLite goes through from its beginning to its end, while something is done in a store. */
import type { Db } from '../../store/database.ts';

/** Tables of a few rows, and indexes that hold only what is under way. */
const few =
  /^SCAN (hosts|h|json_each|CONSTANT|.* USING (COVERING )?INDEX idx_(subagent_sessions_queue|runs_live|waits|outbox)_?\w*)\b/;
const whole = /^SCAN |USING INTEGER PRIMARY KEY \(rowid>/;

export interface Plans {
  db: Db;
  /** How many statements were looked at. */
  looked(): number;
  scans: string[];
  look(sql: string, params?: object): void;
}

export function watchPlans(db: Db): Plans {
  const scans: string[] = [];
  let looked = 0;
  const look = (sql: string, params: object = {}) => {
    looked += 1;
    const plan = db.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, params as never);
    for (const { detail } of plan) {
      if (whole.test(detail) && !few.test(detail)) scans.push(`${detail}: ${sql}`);
    }
  };
  return {
    scans,
    look,
    looked: () => looked,
    db: {
      ...db,
      get: (sql, params) => (look(sql, params), db.get(sql, params)),
      all: (sql, params) => (look(sql, params), db.all(sql, params)),
      run: (sql, params) => (look(sql, params), db.run(sql, params)),
    },
  };
}
