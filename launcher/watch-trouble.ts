/** Whether a stack that somebody waits for still comes up, by the lines of its launcher. */
import { join } from 'node:path';
import { homePaths } from '../contract/home.ts';
import { isTrouble, levelIn, saidIn } from '../contract/log.ts';
import { lastLines } from '../engine/cap-log.ts';
import { describeEvent, processOf, titleOf } from './events.ts';

export interface TroubleWatch {
  hear(line: string): void;
  /** It was up once: from then on its launcher tries for ever, and never ends because of a trouble. */
  wasUp(): void;
  isInVain(isAnswered: boolean): boolean;
  /** What went wrong last; null when nothing did. */
  words(): string | null;
}

export function watchTrouble(home: string, vainMsMax: number): TroubleWatch {
  let isUp = false;
  let since: number | null = null;
  let last: string | null = null;
  let isGivenUp = false;
  return {
    hear(line) {
      const said = saidIn(line);
      if (said === describeEvent({ type: 'ready' })) isUp = true;
      // Not what another launcher says that has come in vain: the log is everybody's.
      if (!isUp || !isTrouble(line) || processOf(said) === null) return;
      since ??= Date.now();
      last = said;
      isGivenUp ||= levelIn(line) === 'error';
    },
    wasUp: () => void (isUp = true),
    isInVain(isAnswered) {
      if (since === null) return false;
      return (isGivenUp && !isAnswered) || Date.now() - since > vainMsMax;
    },
    words: () => last && inWords(home, last),
  };
}

/** One that has ended by itself has said why in the last line of its own log. */
function inWords(home: string, line: string): string {
  const name = processOf(line);
  const [, how] = /: ended \((.*)\), starting again in \d+ ms$/.exec(line) ?? [];
  if (name === null || how === undefined) return line;
  const file = join(homePaths(home).logs, `${name}.log`);
  const said = how.startsWith('exit code') ? lastLines(file, { count: 1 }).map(saidIn) : [];
  return [`the ${titleOf(name)} ended (${how})`, ...said].join(':\n');
}
