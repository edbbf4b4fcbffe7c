/** A session whose context is inherited, beside one of another agent with the same key. */
import { expect } from '@jest/globals';
import type { z } from 'zod';
import { entityPartsSchema } from '../../contract/entities.ts';
import type { TurnRole } from '../../contract/words.ts';
import { checkpointAt } from '../../store/checkpoints.ts';
import { contextBlockFor } from '../../store/context-block.ts';
import { putEntity } from '../../store/entities.ts';
import type { Store } from '../../store/index.ts';
import { registerSession, type SessionRow } from '../../store/sessions.ts';
import { appendTurn } from '../../store/turns.ts';
import { withStore } from './store-fixture.ts';

export const config = { inheritContext: true, tailChars: 3000, parentIdleHours: 4 };

export interface Scene {
  store: Store;
  parent: SessionRow;
  say(role: TurnRole, ...texts: string[]): Promise<void>;
  checkpoint: (trigger?: Parameters<typeof checkpointAt>[2], summary?: string) => Promise<unknown>;
  know(name: string, parts: z.input<typeof entityPartsSchema>): Promise<unknown>;
  block(more?: Partial<typeof config>): string | null;
}

export async function withScene(
  use: (scene: Scene) => Promise<void>,
  agentId = 'alice',
): Promise<void> {
  await withStore(async ({ store }) => {
    const open = (sessionKey: string, agent: string) =>
      store.write((tx) =>
        registerSession(tx, {
          ...{ agentId: agent, sessionKey, harness: 'claude-code', project: '/repo' },
          title: null,
        }),
      );
    const parent = await open('P', agentId);
    // The same key under another agent, with things of its own: none of it may ever be seen.
    const foreign = await open('P', 'bob');
    await store.write((tx) => {
      appendTurn(tx, { sessionId: foreign.id, role: 'user', text: 'BOB says Juniper' });
      putEntity(tx, 'bob', 'Juniper', parts({ aspects: [constraint('BOB rules')] }));
      checkpointAt(tx, foreign, 'compaction', 'BOB summary');
    });
    await use({
      store,
      parent,
      say: (role, ...texts) =>
        store.write((tx) => {
          for (const text of texts) appendTurn(tx, { sessionId: parent.id, role, text });
        }),
      checkpoint: (trigger = 'pre_compaction', summary) =>
        store.write((tx) => checkpointAt(tx, parent, trigger, summary)),
      know: (name, given) => store.write((tx) => putEntity(tx, agentId, name, parts(given))),
      block(more) {
        const text = contextBlockFor(store.db, { ...config, ...more }, parent)?.text ?? null;
        expect(text ?? '').not.toContain('BOB');
        return text;
      },
    });
  });
}

const parts = (given: z.input<typeof entityPartsSchema>) => entityPartsSchema.parse(given);
export const constraint = (content: string, more = {}) => ({
  name: 'rules',
  attributes: [{ kind: 'constraint' as const, content, ...more }],
});
