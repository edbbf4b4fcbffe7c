import type { SessionStateWord } from '../contract/words.ts';

/** Of one that we run it is known whether something is open on it. Of all others, when they were heard of. */
export function sessionStateOf(session: {
  isBypassed: boolean;
  hasEnded: boolean;
  /** A runtime path holds it. */
  isHeld: boolean;
  /** Null for one that a program reports. */
  hasOpenWork: boolean | null;
  isHeardOfLately: boolean;
}): SessionStateWord {
  const { isBypassed, hasEnded, isHeld, hasOpenWork, isHeardOfLately } = session;
  if (isBypassed) return 'bypassed';
  if (hasEnded) return 'ended';
  return isHeld || (hasOpenWork ?? isHeardOfLately) ? 'active' : 'idle';
}
