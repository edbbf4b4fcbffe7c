import { inherit, inheritOnce } from '../../store/context-block.ts';
import type { Heard } from './hear.ts';

/** What the parent knows, for a child's model to read; what nobody reads is not kept as given. */
export function inheritedText({ tx, session, config, isLate }: Heard): string {
  if (isLate) return '';
  // A managed child has it since its first run, and hears the same.
  if (session.kind === 'managed') return inheritOnce(tx, config, session) ?? '';
  return inherit(tx, config, session)?.text ?? '';
}
