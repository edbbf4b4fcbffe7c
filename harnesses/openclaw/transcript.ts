/** `agents/<agent>/sessions/<session>.jsonl`, and the list of messages that the `agent_end` hook hands over. */
import { readContent, result } from '../content.ts';
import { objectOf, textOf, timeOf, type JsonObject } from '../json.ts';
import { parseRecords } from '../parse-records.ts';
import { mark, message, summary, type Said } from '../said.ts';

export const parseOpenclaw = parseRecords(readRecord);

function readRecord(record: JsonObject): Said {
  const inner = objectOf(record.message);
  const stamp = {
    at: timeOf(record.timestamp) ?? timeOf(inner?.timestamp),
    id: textOf(record.id) ?? textOf(record.idempotencyKey),
  };
  if (record.type === 'compaction' || record.type === 'branch_summary') {
    return summary(stamp, textOf(record.summary));
  }
  const spoken = inner ?? record;
  const content = readContent(spoken.content);
  if (spoken.role === 'user' || spoken.role === 'assistant') {
    return message(spoken.role, content, stamp);
  }
  if (spoken.role !== 'toolResult') return mark(stamp);
  const { toolCallId, toolName, isError } = spoken;
  const answered = result(toolCallId, toolName, content.text, isError === true);
  return message('assistant', { text: '', tools: [answered] }, stamp);
}
