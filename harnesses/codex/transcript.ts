/** `sessions/YYYY/MM/DD/rollout-<time>-<thread>.jsonl`, one for each thread. */
import { call, readContent, result, type Content } from '../content.ts';
import { listOf, objectOf, textOf, timeOf, type JsonObject } from '../json.ts';
import { parseRecords } from '../parse-records.ts';
import { mark, message, summary, type Said, type Stamp } from '../said.ts';

export const parseCodex = parseRecords(readRecord);

function readRecord(record: JsonObject): Said {
  const payload = objectOf(record.payload) ?? {};
  const stamp = { at: timeOf(record.timestamp), id: textOf(payload.id) };
  if (record.type === 'compacted') return summary(stamp, textOf(payload.message));
  // `event_msg` tells the same things once more, for whoever watches.
  return record.type === 'response_item' ? readItem(payload, stamp) : mark(stamp);
}

function readItem(item: JsonObject, stamp: Stamp): Said {
  const content = readContent(item.content);
  if (item.type === 'message' && item.role === 'assistant') {
    return message('assistant', content, stamp);
  }
  if (item.type === 'message' && item.role === 'user') return readUser(item, content, stamp);
  const use = readToolUse(item);
  return use === null ? mark(stamp) : message('assistant', { text: '', tools: [use] }, stamp);
}

/** Codex speaks in the user's name too; it says so in the kinds of the content. */
function readUser(item: JsonObject, content: Content, stamp: Stamp): Said {
  const meta = objectOf(item.internal_chat_message_metadata_passthrough);
  const kinds = listOf(meta?.content_item_kinds).map(String);
  if (kinds.length === 0 || kinds.some((kind) => kind.startsWith('user.'))) {
    return message('user', content, stamp);
  }
  return mark(stamp, kinds.some((kind) => kind.startsWith('multi_agent.')) ? content.text : '');
}

function readToolUse(item: JsonObject) {
  switch (item.type) {
    case 'function_call':
      return call(item.call_id, item.name, item.arguments);
    case 'custom_tool_call':
      return call(item.call_id, item.name, item.input);
    case 'local_shell_call':
    case 'web_search_call':
      return call(item.call_id ?? item.id, item.type, item.action);
    case 'function_call_output':
    case 'custom_tool_call_output': {
      const wrapped = objectOf(item.output);
      const isError = (item.success ?? wrapped?.success) === false;
      return result(item.call_id, null, wrapped?.content ?? item.output, isError);
    }
    default:
      return null;
  }
}
