/**
 * What an agent knows of things, as texts that name them need it. Kept in memory: a text has hundreds of words
 * to look up. Where an agent knows too much for that it is asked of the store, in the same words.
 */
import { randomUUID } from 'node:crypto';
import { limits } from '../contract/limits.ts';
import { constraintLine } from '../domain/context-block.ts';
import { everyWord, createWordFilter, type WordFilter } from '../domain/mentions.ts';
import { redact } from '../domain/redact.ts';
import type { Db } from './database.ts';
import { readMeta, writeMeta } from './meta.ts';
import { createTextMemo, type TextMemo } from './text-memo.ts';
import type { Tx } from './write-queue.ts';

export interface Knowledge {
  isEmpty: boolean;
  /** What names begin with. */
  firstWords: WordFilter;
  namesWith(firstWords: readonly string[]): Name[];
  /** Where which of these things are named in texts; null where it is not kept. */
  lookedThrough: TextMemo<ReadonlyMap<number, number>> | null;
  /** Those that are active, in the order of the ids. */
  things(ids: readonly number[]): Thing[];
  /** Active constraints of these as they are told, the most important first. More than `entityPartsMax` never are. */
  constraintsOf(things: readonly Thing[]): string[];
}

export interface Name {
  id: number;
  words: string[];
}

interface NameRow {
  id: number;
  first_word: string;
  normalized: string;
}

export interface Thing {
  id: number;
  name: string;
  /** Without secrets. Looked through when it is asked for: of what an agent knows little is ever told. */
  shown(): string;
}

interface Constraint {
  entity_id: number;
  content: string;
}

/** Names, and constraints, and of both their text: beyond that nothing is kept. */
const keptMax = 20_000;
const keptBytesMax = 4 * 1024 ** 2;
/** What eight blocks look through at most. */
const lookedThroughCharsMax = 8 * limits.focalBlockCharsMax;
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
  if (!isKeepable(db, agentId)) return null;
  const names = db.all<NameRow>(namesSql, { agentId });
  const byWord = new Map<string, Name[]>();
  for (const row of names) {
    const name = nameOf(row);
    const known = byWord.get(row.first_word);
    if (known) known.push(name);
    else byWord.set(row.first_word, [name]);
  }
  const things = new Map<number, Thing>();
  for (const one of db.all<Entity>(thingsSql, { agentId })) things.set(one.id, thingOf(one));
  return {
    isEmpty: names.length === 0,
    firstWords: createWordFilter(byWord.keys()),
    namesWith: (words) => words.flatMap((word) => byWord.get(word) ?? []),
    lookedThrough: createTextMemo(lookedThroughCharsMax),
    things: (ids) => ids.map((id) => things.get(id)).filter((thing) => thing !== undefined),
    constraintsOf: keepConstraints(db, agentId),
  };
}

/** By their places among all of the agent's: which is more important is found out once, not for each block. */
function keepConstraints(db: Db, agentId: string): Knowledge['constraintsOf'] {
  const all = db.all<Constraint>(`${constraintsSql} ${mostImportantFirst}`, { agentId });
  const lines: (string | undefined)[] = all.map(() => undefined);
  const placesOf = new Map<number, number[]>();
  for (const [place, { entity_id: id }] of all.entries()) {
    const known = placesOf.get(id);
    if (known) known.push(place);
    else placesOf.set(id, [place]);
  }
  return (things) => {
    const places = [];
    for (const { id } of things) for (const place of placesOf.get(id) ?? []) places.push(place);
    const inOrder = new Uint32Array(places).sort().subarray(0, limits.entityPartsMax);
    const told = [];
    for (const place of inOrder) told.push((lines[place] ??= lineOf(things, all[place]!)));
    return told;
  };
}

function lineOf(things: readonly Thing[], { entity_id: id, content }: Constraint) {
  return constraintLine(things.find((thing) => thing.id === id)!.shown(), redact(content));
}

function askStore(db: Db, agentId: string): Knowledge {
  return {
    isEmpty: false,
    firstWords: everyWord,
    lookedThrough: null,
    namesWith: (words) =>
      db.all<NameRow>(namesWithSql, { agentId, words: JSON.stringify(words) }).map(nameOf),
    things(ids) {
      const found = db.all<Entity>(`${thingsSql} AND e.id IN (SELECT value FROM json_each(:ids))`, {
        agentId,
        ids: JSON.stringify(ids),
      });
      const byId = new Map(found.map((one) => [one.id, one]));
      return ids.flatMap((id) => {
        const one = byId.get(id);
        return one ? thingOf(one) : [];
      });
    },
    constraintsOf(things) {
      const found = db.all<Constraint>(
        `${constraintsSql} AND e.id IN (SELECT value FROM json_each(:ids))
         ${mostImportantFirst} LIMIT ${limits.entityPartsMax}`,
        { agentId, ids: JSON.stringify(things.map(({ id }) => id)) },
      );
      return found.map((one) => lineOf(things, one));
    },
  };
}

const nameOf = ({ id, normalized }: NameRow): Name => ({ id, words: normalized.split(' ') });

type Entity = Pick<Thing, 'id' | 'name'>;

function thingOf({ id, name }: Entity): Thing {
  let shown: string | null = null;
  return { id, name, shown: () => (shown ??= redact(name)) };
}

function isKeepable(db: Db, agentId: string): boolean {
  const size = db.get<Record<'names' | 'constraints' | 'bytes', number>>(sizeSql, { agentId });
  const { names, constraints, bytes } = size!;
  return names <= keptMax && constraints <= keptMax && bytes <= keptBytesMax;
}

const namesSql = `
  SELECT id, first_word, normalized FROM entities WHERE agent_id = :agentId
  UNION ALL SELECT entity_id, first_word, normalized FROM entity_aliases WHERE agent_id = :agentId`;

/** CROSS JOIN goes through the words in their order: an IN would put them into a table of its own first, twice. */
const namesWithSql = `
  SELECT e.id, e.first_word, e.normalized FROM json_each(:words) word
  CROSS JOIN entities e ON e.agent_id = :agentId AND e.first_word = word.value
  UNION ALL
  SELECT a.entity_id, a.first_word, a.normalized FROM json_each(:words) word
  CROSS JOIN entity_aliases a ON a.agent_id = :agentId AND a.first_word = word.value`;

const thingsSql = `
  SELECT e.id, e.name FROM entities e WHERE e.agent_id = :agentId AND e.status = 'active'`;

const activeConstraints = `
  entities e CROSS JOIN entity_aspects s ON s.entity_id = e.id
  CROSS JOIN entity_attributes a ON a.aspect_id = s.id
  WHERE e.agent_id = :agentId AND e.status = 'active'
    AND a.kind = 'constraint' AND a.status = 'active'`;

const constraintsSql = `
  SELECT s.entity_id, a.content FROM ${activeConstraints}`;
const mostImportantFirst = 'ORDER BY a.importance DESC, a.updated_at DESC, a.id';

/** No more than a little over what may be kept is counted. */
const sizeSql = `
  SELECT count(*) FILTER (WHERE is_name) AS names, count(*) FILTER (WHERE NOT is_name) AS constraints,
         ifnull(sum(bytes), 0) AS bytes
  FROM (
    SELECT * FROM (
      SELECT 1 AS is_name, octet_length(name) + octet_length(normalized) AS bytes
      FROM entities WHERE agent_id = :agentId
      UNION ALL SELECT 1, octet_length(normalized) FROM entity_aliases WHERE agent_id = :agentId
      LIMIT ${keptMax + 1})
    UNION ALL
    SELECT * FROM (SELECT 0, octet_length(a.content) FROM ${activeConstraints} LIMIT ${keptMax + 1}))`;
