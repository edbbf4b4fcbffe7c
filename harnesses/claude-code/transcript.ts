/** `projects/<cwd>/<session>.jsonl`, also of sub-agents, and the lines of `--output-format stream-json`. */
import { readContent } from '../content.ts';
import { objectOf, textOf, timeOf, type JsonObject } from '../json.ts';
import { parseRecords } from '../parse-records.ts';
import { mark, message, summary, type Said } from '../said.ts';

export const parseClaudeCode = parseRecords(readRecord);

/** What Claude Code writes in the user's name about a command of its own. */
const commandOutput = /^\s*<(local-command-stdout|local-command-stderr|local-command-caveat)>/;

/** How a compaction's summary begins, which on the stream bears no other sign. */
const continued = /^This session is being continued from a previous conversation/;

function readRecord(record: JsonObject): Said {
  const stamp = { at: timeOf(record.timestamp), id: textOf(record.uuid) };
  if (record.type !== 'user' && record.type !== 'assistant') return mark(stamp);
  const content = readContent(objectOf(record.message)?.content);
  // On the stream a sub-agent's lines stand between its parent's; in transcripts they have a file of their own.
  if (textOf(record.parent_tool_use_id) !== null) return mark(stamp, content.text);
  // The summary after a compaction comes in the user's name, and so do reminders. The `compact_boundary` before it
  // says no more than that there is one.
  const isSummary = record.isSynthetic === true && continued.test(content.text);
  if (record.isCompactSummary === true || isSummary) return summary(stamp, content.text);
  if (record.isMeta === true) return mark(stamp);
  if (commandOutput.test(content.text)) return mark(stamp, content.text);
  return message(record.type, content, stamp);
}
