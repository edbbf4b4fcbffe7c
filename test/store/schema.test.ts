import { expect, test } from '@jest/globals';
import { withStore } from './store-fixture.ts';

const seed = [
  ['id', 'TEXT', 0, null, 1],
  ['runner_id', 'TEXT', 1, null, 0],
  ['status', 'TEXT', 1, "'pending'", 0],
  ['created_at', 'TEXT', 1, null, 0],
  ['completed_at', 'TEXT', 0, null, 0],
  ['workspace_path', 'TEXT', 1, null, 0],
  ['spec_id', 'TEXT', 0, null, 0],
  ['prompt', 'TEXT', 1, null, 0],
  ['files_json', 'TEXT', 0, null, 0],
  ['result_content', 'TEXT', 0, null, 0],
  ['token_input', 'INTEGER', 0, null, 0],
  ['token_output', 'INTEGER', 0, null, 0],
  ['duration_ms', 'INTEGER', 0, null, 0],
  ['error', 'TEXT', 0, null, 0],
];

interface Column {
  name: string;
  type: string;
  notnull: number;
  dflt_value: string | null;
  pk: number;
}

test('subagent_sessions begins with the columns of the seed, to the letter and in its order [leanspec 7]', async () => {
  await withStore(async ({ store }) => {
    const columns = store.db.all<Column>('PRAGMA table_info(subagent_sessions)');
    const told = columns.map((one) => [one.name, one.type, one.notnull, one.dflt_value, one.pk]);
    expect(told.slice(0, seed.length)).toEqual(seed);
    const names = columns.map((one) => one.name);
    expect(names).toEqual(expect.arrayContaining(['parent_session_id', 'execution_mode']));
  });
});

test('the three indexes of the seed are there by name, each on its column', async () => {
  await withStore(async ({ store }) => {
    const column = (index: string) =>
      store.db.all<{ name: string }>(`PRAGMA index_info(${index})`).map((one) => one.name);
    expect(column('idx_subagent_sessions_runner')).toEqual(['runner_id']);
    expect(column('idx_subagent_sessions_spec')).toEqual(['spec_id']);
    expect(column('idx_subagent_sessions_created')).toEqual(['created_at']);
  });
});

test('session_transcripts has the columns of the seed and nothing else', async () => {
  await withStore(async ({ store }) => {
    const columns = store.db.all<Column>('PRAGMA table_info(session_transcripts)');
    expect(columns.map((one) => one.name)).toEqual([
      'session_key',
      'content',
      'harness',
      'project',
      'agent_id',
      'created_at',
      'updated_at',
    ]);
  });
});

test('agents have the columns of the seed, and read their own data only by default', async () => {
  await withStore(async ({ store }) => {
    const columns = store.db.all<Column>('PRAGMA table_info(agents)').map((one) => one.name);
    expect(columns).toEqual(['id', 'name', 'read_policy', 'policy_group']);
    await store.write(({ db }) => db.run("INSERT INTO agents (id, name) VALUES ('a', 'a')"));
    expect(store.db.get('SELECT read_policy FROM agents')).toEqual({ read_policy: 'isolated' });
  });
});

test('what is accepted is on the disk before it is acknowledged, and the log may grow', async () => {
  await withStore(async ({ store }) => {
    const pragma = (name: string) => store.db.get<Record<string, unknown>>(`PRAGMA ${name}`);
    expect(pragma('journal_mode')).toEqual({ journal_mode: 'wal' });
    expect(pragma('synchronous')).toEqual({ synchronous: 2 });
    expect(pragma('foreign_keys')).toEqual({ foreign_keys: 1 });
    expect(pragma('wal_autocheckpoint')).toEqual({ wal_autocheckpoint: 0 });
  });
});
