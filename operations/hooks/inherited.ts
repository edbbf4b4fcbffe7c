import type { ContextBlock } from '../../contract/records.ts';
import { inherit } from '../../store/context-block.ts';
import type { Heard } from './hear.ts';

interface HowToTell {
  /** Its model knows nothing of before, whatever it was told: else what it knows is not told again. */
  isAnew: boolean;
}

/** What the parent knows, for a child's model to read; what nobody reads is not kept as given. */
export function inheritedText(
  { tx, session, config, isUnread }: Heard,
  { isAnew }: HowToTell,
): string {
  if (isUnread) return '';
  const block = inherit(tx, config, session);
  if (block === null) return '';
  return block.isRepeat && !isAnew ? stubOf(block) : block.text;
}

/** One line in place of words that the model has already. */
const stubOf = ({ sources }: ContextBlock) =>
  `## Inherited from Parent Session\n\nAs told before (${sources.parentSessionId}).`;
