import { limits } from '../contract/limits.ts';
import { lastMention, placeIn, saidIn } from '../domain/mentions.ts';
import type { CheckpointRow } from './checkpoints.ts';
import type { Knowledge, Thing } from './knowledge.ts';
import type { NumberedText } from './text-memo.ts';

/**
 * What a session is about: the entities that these texts name, those that they name last first; and behind
 * them what was in focus at the last checkpoint. Most agents know of none: no text is read.
 */
export function focalEntities(
  knowledge: Knowledge,
  before: Pick<CheckpointRow, 'focal_entity_ids'> | undefined,
  texts: () => NumberedText[],
): Thing[] {
  if (knowledge.isEmpty) return [];
  const named = lastFirst(placesIn(knowledge, texts()));
  const then = before ? (JSON.parse(before.focal_entity_ids) as number[]) : [];
  const ids = new Set(named);
  for (const id of then) ids.add(id);
  return knowledge.things([...ids]).slice(0, limits.focalEntitiesMax);
}

/** Where an entity is named last, by its id. */
type Places = ReadonlyMap<number, number>;

const lastFirst = (places: Places): number[] =>
  [...places].toSorted((a, b) => b[1] - a[1] || a[0] - b[0]).map(([id]) => id);

/** What a turn says is never changed, and the children of one parent are told the same turns: each is looked through once. */
function placesIn(knowledge: Knowledge, texts: readonly NumberedText[]): Places {
  const { lookedThrough } = knowledge;
  // What is known is in the store: that is asked of all texts at once.
  if (lookedThrough === null) {
    return lookThrough(
      knowledge,
      texts.map(({ text }) => text),
    );
  }
  const places = new Map<number, number>();
  for (const [line, text] of texts.entries()) {
    const found = lookedThrough(text, (one) => lookThrough(knowledge, [one]));
    for (const [id, start] of found) places.set(id, placeIn(line, start));
  }
  return places;
}

function lookThrough(knowledge: Knowledge, texts: readonly string[]): Places {
  const said = saidIn(texts, knowledge.firstWords);
  const places = new Map<number, number>();
  for (const { id, words } of knowledge.namesWith([...said.places.keys()])) {
    const at = lastMention(said, words);
    if (at >= 0 && at > (places.get(id) ?? -1)) places.set(id, at);
  }
  return places;
}
