/** What one record of a transcript says; with the record's own text it becomes an entry. */
import type { ToolUse, TranscriptEntry } from '../contract/transcript.ts';
import { compactedMark } from '../contract/words.ts';
import type { Content } from './content.ts';

export type Said = Omit<TranscriptEntry, 'raw'>;

/** Where and when a program says a record belongs. */
export type Stamp = Pick<TranscriptEntry, 'at' | 'id'>;

export function said(role: Said['role'], text: string, stamp: Stamp, tools: ToolUse[] = []): Said {
  return { role, text, at: stamp.at, id: stamp.id, tools };
}

/** Text or not, this record is about the session; nobody said it in the conversation. */
export function mark(stamp: Stamp = { at: null, id: null }, text = ''): Said {
  return said('mark', text, stamp);
}

/** What is left of the conversation after a compaction, in its program's words. */
export function summary(stamp: Stamp, text: string | null): Said {
  return mark(stamp, text === null || text === '' ? '' : compactedMark + text);
}

/** A message is its speaker's where it has words, `tool` where it has only calls or results. */
export function message(role: 'user' | 'assistant', content: Content, stamp: Stamp): Said {
  if (content.text.trim() !== '') return said(role, content.text, stamp, content.tools);
  if (content.tools.length === 0) return mark(stamp);
  return said('tool', content.tools.map(toolText).join('\n'), stamp, content.tools);
}

function toolText(use: ToolUse): string {
  return use.kind === 'call' ? `${use.name ?? 'tool'} ${use.text}`.trimEnd() : use.text;
}
