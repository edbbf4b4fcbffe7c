/** How often the turn that answers a question is among the first ten that a search finds. */
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { createSearcher } from '../../search/searcher.ts';
import type { Weights } from '../../search/rank.ts';
import { openStore } from '../../store/index.ts';
import type { Conversation, Half, Question } from './talks.ts';

export interface Quality {
  recallAt10: number;
  /** The mean of 1 / place, 0 where it is not among the first ten. */
  mrr: number;
}

const places = 10;

/** Of ours, in all conversations of the half: the index and the ranking that the server uses. */
export async function measureOurs(folder: string, half: Half, weights?: Weights): Promise<Quality> {
  const database = join(folder, 'main.db');
  const store = openStore(database, { checkpoints: false });
  try {
    await store.write(({ db }) => {
      db.run(`INSERT OR IGNORE INTO agents (id, name) VALUES ('default', 'default')`);
      half.conversations.forEach(({ key, project, day, turns }, at) => {
        const params = { id: at + 1, key, project, day: `${day}T09:00:00.000Z` };
        const added = db.run(
          `INSERT OR IGNORE INTO sessions (id, agent_id, session_key, kind, project, last_seq, created_at, updated_at)
           VALUES (:id, 'default', :key, 'external', :project, 0, :day, :day)`,
          params,
        );
        if (added === 0) return;
        turns.forEach(({ role, text }, n) => {
          db.run(
            `INSERT INTO turns (session_id, seq, role, at, text) VALUES (:id, :seq, :role, :at, :text)`,
            { id: at + 1, seq: n + 1, role, at: timeOf(day, n), text },
          );
        });
      });
    });
    const options = { database, index: join(folder, 'search.db') };
    const searcher = createSearcher({ ...options, ...(weights && { weights }) });
    while (searcher.step());
    const scope = { agentId: 'default', project: null, sessionIds: null, rootId: null };
    const quality = average(half.questions, ({ text }) =>
      searcher
        .search({
          query: text,
          scope: { ...scope, withoutId: null },
          limit: places,
          bySession: false,
        })
        .map((hit) => ({ key: hit.sessionKey, turn: hit.turn })),
    );
    searcher.close();
    return quality;
  } finally {
    await store.close();
  }
}

/** Of FTS5 as it comes: its default tokenizer, any of the words, its own `bm25()`. */
export function measurePlain(half: Half, tokenize = 'unicode61'): Quality {
  const db = new BetterSqlite3(':memory:');
  db.exec(
    `CREATE VIRTUAL TABLE t USING fts5(text, key UNINDEXED, turn UNINDEXED, tokenize='${tokenize}')`,
  );
  const put = db.prepare('INSERT INTO t (text, key, turn) VALUES (?, ?, ?)');
  for (const { key, turns } of half.conversations) {
    turns.forEach(({ text }, at) => put.run(text, key, at + 1));
  }
  const search = db.prepare(
    `SELECT key, turn FROM t WHERE t MATCH ? ORDER BY rank LIMIT ${places}`,
  );
  const quality = average(half.questions, ({ text }) => {
    const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
    return search.all(words.map((word) => `"${word}"`).join(' OR ')) as Found[];
  });
  db.close();
  return quality;
}

type Found = Pick<Question, 'key' | 'turn'>;

function average(questions: Question[], search: (question: Question) => Found[]): Quality {
  const all = questions.map((question) => {
    const at = search(question).findIndex(
      ({ key, turn }) => key === question.key && turn === question.turn,
    );
    return at === -1 ? { found: 0, reciprocal: 0 } : { found: 1, reciprocal: 1 / (at + 1) };
  });
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return {
    recallAt10: mean(all.map(({ found }) => found)),
    mrr: mean(all.map(({ reciprocal }) => reciprocal)),
  };
}

const timeOf = (day: Conversation['day'], n: number) =>
  new Date(Date.parse(`${day}T09:00:00.000Z`) + n * 60_000).toISOString();
