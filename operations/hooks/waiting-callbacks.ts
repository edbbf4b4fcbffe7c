import type { PromptReason } from '../../contract/words.ts';
import { limits } from '../../contract/limits.ts';
import { envelopeOf } from '../../store/callbacks.ts';
import { waitingCallbacks } from '../../store/mailbox.ts';
import type { Heard } from './hear.ts';

/** What ended children have to say to this session, for its model to read. */
export function waitingFor({ tx, session }: Heard): { inject: string; reason: PromptReason } {
  const waiting = waitingCallbacks(tx.db, session.id, limits.callbacksPerTurnMax);
  if (waiting.length === 0) return { inject: '', reason: 'no_memory' };
  const inject = waiting.map((callback) => envelopeOf(tx.db, callback)).join('\n\n');
  return { inject, reason: 'callbacks' };
}
