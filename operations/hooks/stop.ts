import { limits } from '../../contract/limits.ts';
import type { OperationOutput, ParsedInput } from '../../contract/operations.ts';
import type { Caller } from '../caller.ts';
import type { Deps } from '../deps.ts';
import { hear } from './hear.ts';
import { offer } from './offer.ts';
import { addWords, countTold } from './said.ts';

export async function hookStop(
  deps: Deps,
  caller: Caller,
  input: ParsedInput<'hookStop'>,
): Promise<OperationOutput<'hookStop'>> {
  const answer = await hear(
    deps,
    caller,
    { name: 'hookStop', needsTranscript: true },
    input,
    (heard) => {
      const unread = heard.hasTranscript ? undefined : input.allSaid;
      addWords(heard, { assistant: input.lastAssistantMessage ?? unread });
      countTold(heard);
      const goesOn = input.stopHookActive === true;
      // With neither key nor time nor new words it may be the same stop once more, whose answer was not read.
      const isTurnOver = heard.isNamed || goesOn;
      // It goes on because of what it was offered: the same once more would keep it from ever stopping, what is new would
      // not. By a clock that is behind none of its turns is over after an offer: it can stop all the same.
      const offersMax = goesOn ? 1 : limits.unansweredOffersMax;
      return offer(heard, { isTurnOver, offersMax, mayComeAgain: !heard.isNamed && goesOn });
    },
  );
  return answer ?? { inject: '', reason: 'no_session' };
}
