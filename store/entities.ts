/** What an agent knows of things by name: aspects with attributes and constraints, and other names. */
import { AppError } from '../contract/errors.ts';
import type { EntityRecord, EntityParts } from '../contract/entities.ts';
import { wordsOf } from '../domain/mentions.ts';
import type { Db } from './database.ts';
import { noteKnowledge } from './knowledge.ts';
import { ensureAgent } from './agents.ts';
import type { Tx } from './write-queue.ts';

export interface EntityRow {
  id: number;
  agent_id: string;
  name: string;
  normalized: string;
  type: string | null;
  status: 'active' | 'archived';
  created_at: string;
  updated_at: string;
}

/** What is named replaces what was there under that name; what is left out stays. */
export function putEntity(tx: Tx, agentId: string, name: string, parts: EntityParts): EntityRow {
  ensureAgent(tx, agentId);
  const entity = upsert(tx, agentId, name, parts);
  if (parts.aliases) replaceAliases(tx, entity, parts.aliases);
  if (parts.aspects) replaceAspects(tx, entity, parts.aspects);
  noteKnowledge(tx, agentId);
  return entity;
}

export function findEntity(db: Db, agentId: string, name: string): EntityRow | undefined {
  return db.get('SELECT * FROM entities WHERE agent_id = :agentId AND normalized = :normalized', {
    agentId,
    normalized: wordsOf(name).join(' '),
  });
}

export function listEntities(
  db: Db,
  agentId: string,
  { after, limit }: { after: string; limit: number },
): EntityRow[] {
  return db.all(
    `SELECT * FROM entities WHERE agent_id = :agentId AND normalized > :after
     ORDER BY normalized LIMIT +:limit`,
    { agentId, after, limit },
  );
}

export function removeEntity(tx: Tx, entity: EntityRow): void {
  tx.db.run('DELETE FROM entities WHERE id = :id', { id: entity.id });
  noteKnowledge(tx, entity.agent_id);
}

export function entityRecord(db: Db, row: EntityRow): EntityRecord {
  const aliases = db.all<{ alias: string }>(
    'SELECT alias FROM entity_aliases WHERE entity_id = :id ORDER BY id',
    { id: row.id },
  );
  const aspects = db.all<{ id: number; name: string }>(
    'SELECT id, name FROM entity_aspects WHERE entity_id = :id ORDER BY id',
    { id: row.id },
  );
  return {
    name: row.name,
    agentId: row.agent_id,
    type: row.type,
    status: row.status,
    aliases: aliases.map(({ alias }) => alias),
    aspects: aspects.map(({ id, name }) => ({
      name,
      attributes: db.all(
        `SELECT kind, content, importance, confidence, status FROM entity_attributes
         WHERE aspect_id = :id ORDER BY id`,
        { id },
      ),
    })),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function upsert(tx: Tx, agentId: string, name: string, parts: EntityParts): EntityRow {
  const key = keyOf(name);
  requireFree(tx, agentId, key.normalized, null, name);
  tx.db.run(
    `INSERT INTO entities (agent_id, name, normalized, first_word, type, status, created_at, updated_at)
     VALUES (:agentId, :name, :normalized, :firstWord, :type, coalesce(:status, 'active'), :now, :now)
     ON CONFLICT (agent_id, normalized) DO UPDATE SET name = :name, type = coalesce(:type, type),
       status = coalesce(:status, status), updated_at = :now`,
    {
      agentId,
      name,
      ...key,
      type: parts.type ?? null,
      status: parts.status ?? null,
      now: tx.now,
    },
  );
  return findEntity(tx.db, agentId, name)!;
}

function replaceAliases(tx: Tx, entity: EntityRow, aliases: string[]): void {
  tx.db.run('DELETE FROM entity_aliases WHERE entity_id = :id', { id: entity.id });
  for (const alias of aliases) {
    const key = keyOf(alias);
    if (key.normalized === entity.normalized) continue;
    requireFree(tx, entity.agent_id, key.normalized, entity.id, alias);
    tx.db.run(
      `INSERT INTO entity_aliases (agent_id, entity_id, alias, normalized, first_word)
       VALUES (:agentId, :id, :alias, :normalized, :firstWord)
       ON CONFLICT (agent_id, normalized) DO NOTHING`,
      { agentId: entity.agent_id, id: entity.id, alias, ...key },
    );
  }
}

function replaceAspects(tx: Tx, entity: EntityRow, aspects: EntityParts['aspects'] & {}): void {
  const { agent_id: agentId, id } = entity;
  tx.db.run('DELETE FROM entity_aspects WHERE entity_id = :id', { id });
  for (const { name, attributes } of aspects) {
    tx.db.run(
      `INSERT INTO entity_aspects (agent_id, entity_id, name) VALUES (:agentId, :id, :name)
       ON CONFLICT (entity_id, name) DO NOTHING`,
      { agentId, id, name },
    );
    for (const one of attributes) {
      tx.db.run(
        `INSERT INTO entity_attributes (agent_id, aspect_id, kind, content, importance, confidence,
           status, created_at, updated_at)
         SELECT :agentId, id, :kind, :content, :importance, :confidence, :status, :now, :now
         FROM entity_aspects WHERE entity_id = :id AND name = :name`,
        { agentId, id, name, ...one, now: tx.now },
      );
    }
  }
}

/** One name is one thing: a text that mentions it must not be about two. */
function requireFree(
  tx: Tx,
  agentId: string,
  normalized: string,
  own: number | null,
  name: string,
): void {
  const taken = tx.db.get<{ name: string }>(
    `SELECT e.name FROM entities e WHERE e.agent_id = :agentId AND e.normalized = :normalized
       AND :own IS NOT NULL AND e.id <> :own
     UNION ALL SELECT e.name FROM entity_aliases a JOIN entities e ON e.id = a.entity_id
     WHERE a.agent_id = :agentId AND a.normalized = :normalized AND a.entity_id IS NOT :own`,
    { agentId, normalized, own },
  );
  if (!taken) return;
  throw new AppError('bad_request', `${name} is a name of ${taken.name} already`);
}

function keyOf(name: string): { normalized: string; firstWord: string } {
  const list = wordsOf(name);
  const [firstWord] = list;
  if (firstWord !== undefined) return { normalized: list.join(' '), firstWord };
  throw new AppError(
    'bad_request',
    `${JSON.stringify(name)} has no word that a text could mention`,
  );
}
