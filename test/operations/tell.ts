/** Sessions as hooks would make them. */
import type { TurnRole } from '../../contract/words.ts';
import { insertLineage } from '../../store/lineage.ts';
import { registerSession } from '../../store/sessions.ts';
import { appendTurn } from '../../store/turns.ts';
import type { Room } from './operations-fixture.ts';

interface Told {
  agentId?: string;
  project?: string;
  parent?: string;
}

/** An external session with turns, as hooks would make it. */
export async function tell(
  room: Room,
  key: string,
  turns: (string | [TurnRole, string])[],
  told: Told = {},
) {
  const agentId = told.agentId ?? 'default';
  await room.store.write((tx) => {
    const fresh = { agentId, sessionKey: key, harness: null, title: null };
    const row = registerSession(tx, { ...fresh, project: told.project ?? null });
    if (told.parent !== undefined) {
      const parent = registerSession(tx, { ...fresh, sessionKey: told.parent, project: null });
      insertLineage(tx, row, parent, 'explicit');
    }
    for (const turn of turns) {
      const [role, text] = typeof turn === 'string' ? (['user', turn] as const) : turn;
      appendTurn(tx, { sessionId: row.id, role, text });
    }
  });
}
