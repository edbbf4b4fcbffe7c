import { limits } from '../contract/limits.ts';
import type { Db } from './database.ts';
import { activeEntities } from './entities.ts';
import { mentionedIn } from './entity-names.ts';
import { lastSaid } from './said.ts';
import type { SessionRow } from './sessions.ts';

interface Since {
  /** The last checkpoint: what was focal then stays so behind what is mentioned now. */
  checkpoint: { seq: number; focal_entity_ids: string } | undefined;
  digest: string;
  /** How much is looked through of what was said since. */
  charsMax: number;
}

/** What a session is about: the entities that it has named, those that it named last first. */
export function focalEntities(
  db: Db,
  { id, agent_id: agentId }: Pick<SessionRow, 'id' | 'agent_id'>,
  { checkpoint, digest, charsMax }: Since,
): { id: number; name: string }[] {
  const mentioned = mentionedIn(db, agentId, () => {
    const said = lastSaid(db, id, { after: checkpoint?.seq ?? 0, charsMax });
    return [digest, ...said.map(({ text }) => text)];
  });
  const before = checkpoint ? (JSON.parse(checkpoint.focal_entity_ids) as number[]) : [];
  const ids = [...new Set([...mentioned, ...before])];
  return ids.length === 0 ? [] : activeEntities(db, agentId, ids).slice(0, limits.focalEntitiesMax);
}
