/**
 * What an agent knows of things, as texts that name them need it. Kept in memory: a text has hundreds of words
 * to look up. Where an agent knows too much for that it is asked of the store, in the same words.
 */
import { randomUUID } from 'node:crypto';
import { everyWord, createWordFilter, type WordFilter } from '../domain/mentions.ts';
import { redact } from '../domain/redact.ts';
import type { Db } from './database.ts';
import { readMeta, writeMeta } from './meta.ts';
import type { Tx } from './write-queue.ts';

export interface Knowledge {
  isEmpty: boolean;
  /** What names begin with. */
  firstWords: WordFilter;
  namesWith(firstWords: readonly string[]): Name[];
  /** Those that are active, in the order of the ids. */
  things(ids: readonly number[]): Thing[];
}

export interface Name {
  id: number;
  first_word: string;
  normalized: string;
}

export interface Thing {
  id: number;
  name: string;
  /** Without secrets, as it is shown. */
  shownName: string;
  constraints: Constraint[];
}

interface Constraint {
  id: number;
  content: string;
  importance: number;
  updated_at: string;
}

/** Names, and constraints: beyond that nothing is kept. */
const keptMax = 20_000;
const versionKey = (agentId: string) => `entities ${agentId}`;

/** To be called with each change. Never a version that there was before, also where its transaction comes to nothing. */
export function noteKnowledge(tx: Tx, agentId: string): void {
  writeMeta(tx, versionKey(agentId), randomUUID());
}

export function knowledgeOf(db: Db, agentId: string): Knowledge {
  const key = versionKey(agentId);
  const kept = db.kept(key, readMeta(db, key) ?? '', () => keep(db, agentId));
  return kept ?? askStore(db, agentId);
}

function keep(db: Db, agentId: string): Knowledge | null {
  const names = readNames(db, agentId, null);
  if (names.length > keptMax) return null;
  const things = readThings(db, agentId, null);
  if (things === null) return null;
  const byWord = new Map<string, Name[]>();
  for (const name of names) {
    const known = byWord.get(name.first_word);
    if (known) known.push(name);
    else byWord.set(name.first_word, [name]);
  }
  return {
    isEmpty: names.length === 0,
    firstWords: createWordFilter(byWord.keys()),
    namesWith: (words) => words.flatMap((word) => byWord.get(word) ?? []),
    things: (ids) => ids.flatMap((id) => things.get(id) ?? []),
  };
}

function askStore(db: Db, agentId: string): Knowledge {
  return {
    isEmpty: false,
    firstWords: everyWord,
    namesWith: (words) => readNames(db, agentId, words),
    things(ids) {
      const things = readThings(db, agentId, ids)!;
      return ids.flatMap((id) => things.get(id) ?? []);
    },
  };
}

/** CROSS JOIN goes through the words in their order: an IN would put them into a table of its own first, twice. */
function readNames(db: Db, agentId: string, words: readonly string[] | null): Name[] {
  if (words === null) {
    return db.all(
      `SELECT id, first_word, normalized FROM entities WHERE agent_id = :agentId
       UNION ALL SELECT entity_id, first_word, normalized FROM entity_aliases WHERE agent_id = :agentId
       LIMIT ${keptMax + 1}`,
      { agentId },
    );
  }
  return db.all(
    `SELECT e.id, e.first_word, e.normalized FROM json_each(:words) word
     CROSS JOIN entities e ON e.agent_id = :agentId AND e.first_word = word.value
     UNION ALL
     SELECT a.entity_id, a.first_word, a.normalized FROM json_each(:words) word
     CROSS JOIN entity_aliases a ON a.agent_id = :agentId AND a.first_word = word.value`,
    { agentId, words: JSON.stringify(words) },
  );
}

/** Of these ids, or of all; null where all are too many. */
function readThings(
  db: Db,
  agentId: string,
  ids: readonly number[] | null,
): Map<number, Thing> | null {
  const from =
    ids === null ? 'entities e' : 'json_each(:ids) ids CROSS JOIN entities e ON e.id = ids.value';
  const params = ids === null ? { agentId } : { agentId, ids: JSON.stringify(ids) };
  const found = db.all<{ id: number; name: string }>(
    `SELECT e.id, e.name FROM ${from} WHERE e.agent_id = :agentId AND e.status = 'active'`,
    params,
  );
  const constraints = db.all<Constraint & { entity_id: number }>(
    `SELECT s.entity_id, a.id, a.content, a.importance, a.updated_at FROM ${from}
     CROSS JOIN entity_aspects s ON s.entity_id = e.id
     CROSS JOIN entity_attributes a ON a.aspect_id = s.id
     WHERE e.agent_id = :agentId AND a.kind = 'constraint' AND a.status = 'active'
     ${ids === null ? `LIMIT ${keptMax + 1}` : ''}`,
    params,
  );
  if (ids === null && constraints.length > keptMax) return null;
  const things = new Map<number, Thing>();
  for (const { id, name } of found) {
    things.set(id, { id, name, shownName: redact(name), constraints: [] });
  }
  for (const { entity_id: thing, ...one } of constraints) {
    things.get(thing)?.constraints.push({ ...one, content: redact(one.content) });
  }
  return things;
}
