/** `session-state/<id>/events.jsonl`, sub-agents in between, and the lines of `--output-format json`. */
import type { ToolUse } from '../../contract/transcript.ts';
import { call, readContent, result } from '../content.ts';
import { listOf, objectOf, textOf, timeOf, type JsonObject } from '../json.ts';
import { parseRecords } from '../parse-records.ts';
import { mark, message, summary, type Said } from '../said.ts';

export const parseCopilotCli = parseRecords(readRecord);

/** A sub-agent's lines stand between its parent's, and have its id. Its own session reads them from there. */
function readRecord(record: JsonObject, agent: string | null): Said {
  const stamp = { at: timeOf(record.timestamp), id: textOf(record.id) };
  const data = objectOf(record.data) ?? {};
  if (textOf(record.agentId) !== agent) {
    // What its program tells it is no word of anybody's, as the session's own is not.
    const text = record.type === 'system.message' ? null : textOf(data.content);
    return { ...mark(stamp, text ?? ''), isOfAnother: true };
  }
  switch (record.type) {
    case 'user.message':
      return message('user', readContent(data.content), stamp);
    case 'assistant.message': {
      const tools = listOf(data.toolRequests).map(readRequest);
      return message('assistant', { ...readContent(data.content), tools }, stamp);
    }
    case 'tool.execution_complete':
      return message('assistant', { text: '', tools: [readResult(data)] }, stamp);
    case 'session.compaction_complete':
      return summary(stamp, textOf(data.summaryContent));
    default:
      // `tool.execution_start` repeats what the message before it has asked for.
      return mark(stamp);
  }
}

function readRequest(value: unknown): ToolUse {
  const request = objectOf(value) ?? {};
  return call(request.toolCallId, request.name, request.arguments);
}

function readResult(data: JsonObject): ToolUse {
  const error = objectOf(data.error)?.message ?? data.error;
  const given = objectOf(data.result)?.content ?? data.result ?? error;
  return result(data.toolCallId, null, given, data.success === false);
}
