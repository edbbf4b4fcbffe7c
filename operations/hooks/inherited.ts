import type { ContextBlock } from '../../contract/records.ts';
import { inherit, inheritedBy } from '../../store/context-block.ts';
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
  const block = inherit(tx, config(), session);
  if (block === null) return '';
  return block.isRepeat && !isAnew ? stubOf(block) : block.text;
}

/** Copilot puts what a sub-agent's start was answered with before its task: nobody has said that. */
export function withoutInherited({ tx, session }: Heard, words: string | undefined) {
  const given =
    session.harness_agent_id === null ? null : inheritedBy(tx.db, session.id)?.text.trimEnd();
  return given && words?.startsWith(given) ? words.slice(given.length).trimStart() : words;
}

/** One line in place of words that the model has already. */
const stubOf = ({ sources }: ContextBlock) =>
  `## Inherited from Parent Session\n\nAs told before (${sources.parentSessionId}).`;
