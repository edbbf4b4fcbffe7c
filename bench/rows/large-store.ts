/** 10,000 finished invocations in the store, 200 trees of 50: how long reading takes over HTTP. */
import { homePaths } from '../../contract/home.ts';
import { timed } from '../alternate.ts';
import { plainFigure } from '../figure.ts';
import type { Row } from '../row.ts';
import { openDatabase, type Db } from '../../store/database.ts';
import { quantile } from '../statistics.ts';
import { get, runStack, untilClosed, withHome, type Stack } from '../stack.ts';

const TREES = 200;
const TREE_SIZE = 50;

export const largeStoreRow: Row = {
  name: 'large-store',
  measure: ({ quick }) =>
    withHome({}, async (home) => {
      // One that is real, to be copied while nobody else has the store open.
      const first = await runStack(home, runOne);
      fill(home, first);
      return runStack(home, async ({ server }) => {
        const pages = await cursors((path) => get(server, path));
        const reads = {
          list: (n: number) => `/api/subagents?cursor=${pages[n % pages.length]}`,
          tree: (n: number) => `/api/sessions/ses_${(n * 7) % TREES}_0/tree`,
          get: (n: number) => `/api/subagents/sub_${(n * 7) % TREES}_${n % TREE_SIZE}`,
        };
        const count = quick ? 200 : 2000;
        const times = { list: [], tree: [], get: [] } as Record<keyof typeof reads, number[]>;
        for (let n = 0; n < count; n += 1) {
          for (const [name, path] of Object.entries(reads) as [keyof typeof reads, Path][]) {
            times[name].push(await timed(() => get(server, path(n))));
          }
        }
        return Object.entries(times).map(([name, all]) =>
          plainFigure(`10,000 in the store: ${name}, p99`, quantile(all, 0.99), 'ms', 20),
        );
      });
    }),
};

type Path = (n: number) => string;

async function runOne(stack: Stack): Promise<string> {
  const record = await stack.client.call('runSubagent', { runnerId: 'echo', prompt: 'x' });
  await untilClosed(stack, record);
  return record.id;
}

/** Where each page of the default size begins. */
async function cursors(ask: (path: string) => Promise<unknown>): Promise<string[]> {
  const found: string[] = [];
  for (let path = '/api/subagents'; ;) {
    const { nextCursor } = (await ask(path)) as { nextCursor: string | null };
    if (nextCursor === null) return found;
    found.push(nextCursor);
    path = `/api/subagents?cursor=${nextCursor}`;
  }
}

/** Rows as accepting and running make them; each tree is a root with children below it. */
function fill(home: string, first: string): void {
  const db = openDatabase(homePaths(home).database);
  db.exec('BEGIN');
  for (let tree = 0; tree < TREES; tree += 1) {
    for (let n = 0; n < TREE_SIZE; n += 1) insertCopy(db, first, tree, n);
  }
  db.exec('COMMIT');
  db.close();
}

function insertCopy(db: Db, first: string, tree: number, n: number): void {
  const own = {
    id: `sub_${tree}_${n}`,
    session_key: `ses_${tree}_${n}`,
    parent_session_id: n === 0 ? null : `ses_${tree}_0`,
    root_session_id: `ses_${tree}_0`,
    owner_invocation_id: n === 0 ? null : `sub_${tree}_0`,
    depth: n === 0 ? 0 : 1,
    ordinal: 2 + tree * TREE_SIZE + n,
    prompt: `task ${tree} ${n} `.repeat(50),
  };
  copy(db, 'sessions', `session_key = 'ses_${first.slice(4)}'`, { session_key: own.session_key }, [
    'id',
  ]);
  const { id: sessionId } = db.get<{ id: number }>(
    'SELECT id FROM sessions WHERE session_key = :key',
    { key: own.session_key },
  )!;
  copy(db, 'subagent_sessions', `id = '${first}'`, { ...own, session_id: sessionId });
  copy(
    db,
    'turns',
    `invocation_id = '${first}'`,
    { session_id: sessionId, invocation_id: own.id },
    ['id'],
  );
  if (n === 0) return;
  db.run(
    `INSERT INTO lineage SELECT :sessionId, id, id, 1, 'spawn', updated_at FROM sessions
     WHERE session_key = :root`,
    { sessionId, root: own.root_session_id },
  );
}

/** The rows again, with other values; columns without any are the database's to fill. */
function copy(
  db: Db,
  name: string,
  where: string,
  values: Record<string, string | number | null>,
  without: string[] = [],
): void {
  const columns = db
    .all<{ name: string }>(`PRAGMA table_info(${name})`)
    .map((column) => column.name)
    .filter((column) => !without.includes(column));
  const given = columns.map((column) => (column in values ? `:${column}` : column));
  db.run(
    `INSERT INTO ${name} (${columns.join(', ')}) SELECT ${given.join(', ')} FROM ${name} WHERE ${where}`,
    values,
  );
}
