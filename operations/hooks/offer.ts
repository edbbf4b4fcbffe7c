import type { PromptReason } from '../../contract/words.ts';
import { offerCallbacks, settleOffers, type OfferOptions } from '../../store/offers.ts';
import type { Heard } from './hook.ts';

/** What ended children have to say to this session, for its model to read. */
export function offer(
  { tx, session, at, isUnread }: Heard,
  options: Omit<OfferOptions, 'at'> = {},
): { inject: string; reason: PromptReason } {
  if (isUnread) settleOffers(tx, session, { ...options, at });
  const offers = isUnread ? [] : offerCallbacks(tx, session, { ...options, at });
  if (offers.length === 0) return { inject: '', reason: 'no_memory' };
  return { inject: offers.map(({ envelope }) => envelope).join('\n\n'), reason: 'callbacks' };
}
