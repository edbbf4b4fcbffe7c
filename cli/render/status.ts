import type { Status } from '../../contract/words.ts';
import type { Paint, Style } from './style.ts';

/** One column each. Everything that is not over yet looks alike: only its word says why. */
const glyphs = {
  pending: '…',
  running: '…',
  waiting: '…',
  input_required: '?',
  completed: '✓',
  failed: '✗',
  cancelled: '⊘',
  timed_out: '⏱',
} as const satisfies Record<Status, string>;

export function statusGlyph(status: Status, style: Style): string {
  return statusPaint(status, style)(glyphs[status]);
}

export function statusPaint(status: Status, style: Style): Paint {
  if (status === 'completed') return style.green;
  if (status === 'failed' || status === 'timed_out') return style.red;
  return status === 'input_required' ? style.yellow : style.dim;
}
