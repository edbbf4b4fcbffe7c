import type { PromptReason } from '../../contract/words.ts';
import { offerCallbacks, settleOffers } from '../../store/offers.ts';
import type { Heard } from './hear.ts';

interface OfferOptions {
  /** The hook says that a turn of the model's is over: what was offered before that has been read. */
  isTurnOver?: boolean;
  offersMax?: number | undefined;
}

/** What ended children have to say to this session, for its model to read. */
export function offer(
  { tx, session, at, isUnread }: Heard,
  { isTurnOver = false, offersMax }: OfferOptions = {},
): { inject: string; reason: PromptReason } {
  if (isUnread) settleOffers(tx, session, { isTurnOver, at });
  const offers = isUnread ? [] : offerCallbacks(tx, session, { isTurnOver, at, offersMax });
  if (offers.length === 0) return { inject: '', reason: 'no_memory' };
  return { inject: offers.map(({ envelope }) => envelope).join('\n\n'), reason: 'callbacks' };
}
