/**
 * OpenCode keeps messages in its own database. What it hands over is the document of `opencode export`, the list that
 * its SDK gives (`{info, parts}` each), one such message on each line, or the lines of `run --format json`.
 */
import type { ToolUse } from '../../contract/transcript.ts';
import { call, readContent, result } from '../content.ts';
import { listOf, objectOf, textOf, timeOf, type JsonObject } from '../json.ts';
import { parseRecords } from '../parse-records.ts';
import { mark, message, type Said } from '../said.ts';

export const parseOpencode = parseRecords(readRecord);

function readRecord(record: JsonObject): Said {
  const info = objectOf(record.info);
  if (info !== null) {
    const stamp = { at: timeOf(objectOf(info.time)?.created), id: textOf(info.id) };
    if (info.role !== 'user' && info.role !== 'assistant') return mark(stamp);
    return message(info.role, readParts(listOf(record.parts)), stamp);
  }
  const part = objectOf(record.part);
  const stamp = { at: timeOf(record.timestamp), id: textOf(part?.id) };
  // Only what the assistant does is on the stream; the prompt was given to the command.
  return part === null ? mark(stamp) : message('assistant', readParts([part]), stamp);
}

function readParts(values: readonly unknown[]) {
  const parts = values.map((value) => objectOf(value) ?? {});
  // Synthetic text is put beside the user's by OpenCode itself.
  const texts = parts.filter((part) => part.type === 'text' && part.synthetic !== true);
  const tools = parts.filter((part) => part.type === 'tool').flatMap(readTool);
  return { text: readContent(texts).text, tools };
}

function readTool(part: JsonObject): ToolUse[] {
  const state = objectOf(part.state) ?? {};
  const asked = call(part.callID, part.tool, state.input);
  if (state.status === 'completed')
    return [asked, result(part.callID, part.tool, state.output, false)];
  if (state.status === 'error') return [asked, result(part.callID, part.tool, state.error, true)];
  return [asked];
}
