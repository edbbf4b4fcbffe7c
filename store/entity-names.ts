/** Which entities texts name. The names that an agent knows are kept in memory: a text has hundreds of words to look up. */
import { randomUUID } from 'node:crypto';
import { lastMention, saidIn } from '../domain/mentions.ts';
import type { Db } from './database.ts';
import { readMeta, writeMeta } from './meta.ts';
import type { Tx } from './write-queue.ts';

/** Entities of this agent that texts name, those that they name last first. Most agents know of none: no text is read. */
export function mentionedIn(db: Db, agentId: string, texts: () => string[]): number[] {
  const kept = keptNames(db, agentId);
  if (kept?.size === 0) return [];
  const said = saidIn(texts(), (word) => kept === null || kept.has(word));
  const words = [...said.places.keys()];
  const names =
    kept === null ? namesWith(db, agentId, words) : words.flatMap((word) => kept.get(word)!);
  const places = new Map<number, number>();
  for (const { id, normalized } of names) {
    const at = lastMention(said, normalized.split(' '));
    if (at >= 0 && at > (places.get(id) ?? -1)) places.set(id, at);
  }
  return [...places].toSorted((a, b) => b[1] - a[1] || a[0] - b[0]).map(([id]) => id);
}

interface Name {
  id: number;
  first_word: string;
  normalized: string;
}

/** More than that are looked up by the words of each text, which takes longer. */
const keptMax = 20_000;
const versionKey = (agentId: string) => `entity_names ${agentId}`;

/** To be called where there are new names. Never a version that there was before, also where its transaction comes to nothing. */
export function noteNames(tx: Tx, agentId: string): void {
  writeMeta(tx, versionKey(agentId), randomUUID());
}

/** All names by their first word, perhaps some that are gone; null where there are too many. */
function keptNames(db: Db, agentId: string): ReadonlyMap<string, Name[]> | null {
  const key = versionKey(agentId);
  return db.kept(key, readMeta(db, key) ?? '', () => {
    const rows = db.all<Name>(
      `SELECT id, first_word, normalized FROM entities WHERE agent_id = :agentId
       UNION ALL SELECT entity_id, first_word, normalized FROM entity_aliases WHERE agent_id = :agentId
       LIMIT :limit`,
      { agentId, limit: keptMax + 1 },
    );
    if (rows.length > keptMax) return null;
    const names = new Map<string, Name[]>();
    for (const row of rows) {
      const known = names.get(row.first_word);
      if (known) known.push(row);
      else names.set(row.first_word, [row]);
    }
    return names;
  });
}

/** CROSS JOIN goes through the words in their order: an IN would put them into a table of its own first, twice. */
function namesWith(db: Db, agentId: string, words: readonly string[]): Name[] {
  return db.all(
    `SELECT e.id, e.first_word, e.normalized FROM json_each(:words) word
     CROSS JOIN entities e ON e.agent_id = :agentId AND e.first_word = word.value
     UNION ALL
     SELECT a.entity_id, a.first_word, a.normalized FROM json_each(:words) word
     CROSS JOIN entity_aliases a ON a.agent_id = :agentId AND a.first_word = word.value`,
    { agentId, words: JSON.stringify(words) },
  );
}
