import type { PromptReason } from '../../contract/words.ts';
import { offerCallbacks, settleOffers } from '../../store/offers.ts';
import type { Heard } from './hear.ts';

/** What ended children have to say to this session, for its model to read. */
export function offer(
  { tx, session, isLate }: Heard,
  { isTurnOver = false, isSilent = false }: { isTurnOver?: boolean; isSilent?: boolean } = {},
): { inject: string; reason: PromptReason } {
  if (isLate || isSilent) settleOffers(tx, session, { isTurnOver });
  const offers = isLate || isSilent ? [] : offerCallbacks(tx, session, { isTurnOver });
  if (offers.length === 0) return { inject: '', reason: 'no_memory' };
  return { inject: offers.map(({ envelope }) => envelope).join('\n\n'), reason: 'callbacks' };
}
