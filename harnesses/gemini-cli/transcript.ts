/** `chats/session-<time>-<id>.jsonl`, sub-agents' own files, and the one document that older versions wrote. */
import { call, readContent, result } from '../content.ts';
import { listOf, objectOf, textOf, timeOf, type JsonObject } from '../json.ts';
import { parseRecords } from '../parse-records.ts';
import { mark, message, type Said } from '../said.ts';

export const parseGeminiCli = parseRecords(readRecord);

function readRecord(record: JsonObject): Said {
  const stamp = { at: timeOf(record.timestamp), id: textOf(record.id) };
  const content = readContent(record.content);
  const tools = listOf(record.toolCalls).flatMap(readToolCall);
  // What tools have answered stands in the line that has asked them, and comes once more as the user's.
  if (record.type === 'user') return message('user', { ...content, tools: [] }, stamp);
  // Gemini writes a message as it comes and, under the same id, again with the calls it made: the words are said.
  if (record.type === 'gemini') {
    return message('assistant', tools.length > 0 ? { text: '', tools } : content, stamp);
  }
  // `$set` rewrites the whole history at a resume; what it repeats has its own lines before.
  return textOf(record.type) === null ? mark(stamp) : mark(stamp, content.text);
}

function readToolCall(value: unknown) {
  const used = objectOf(value) ?? {};
  const asked = call(used.id, used.name, used.args);
  if (used.result === undefined || used.result === null) return [asked];
  const answered = readContent(used.result).tools.at(0);
  const isError = used.status === 'error' || used.status === 'cancelled';
  return [
    asked,
    answered === undefined
      ? result(used.id, used.name, used.result, isError)
      : { ...answered, isError: answered.isError || isError },
  ];
}
