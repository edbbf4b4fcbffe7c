/**
 * A message's content: a string, or a list of blocks. The programs name the same three kinds of block (text, a tool's
 * call, its result) differently; none of their names means two things, so one reader knows them all.
 */
import type { ToolUse } from '../contract/transcript.ts';
import { listOf, objectOf, textOf, textOrJson, type JsonObject } from './json.ts';

export interface Content {
  text: string;
  tools: ToolUse[];
}

export function readContent(content: unknown): Content {
  const texts: string[] = [];
  const tools: ToolUse[] = [];
  for (const part of typeof content === 'string' ? [content] : listOf(content)) {
    const block = blockOf(part);
    const use = readToolUse(block);
    const text = use === null ? blockText(block) : null;
    if (use !== null) tools.push(use);
    else if (text !== null && !isFromProgram(text)) texts.push(text);
  }
  return { text: texts.join('\n'), tools };
}

export function call(id: unknown, name: unknown, input: unknown): ToolUse {
  const text = textOrJson(input);
  return { kind: 'call', id: textOf(id), name: textOf(name), text, isError: false };
}

export function result(id: unknown, name: unknown, output: unknown, isError: boolean): ToolUse {
  return { kind: 'result', id: textOf(id), name: textOf(name), text: resultText(output), isError };
}

function blockOf(part: unknown): JsonObject {
  return objectOf(part) ?? { text: part };
}

function readToolUse(block: JsonObject): ToolUse | null {
  if (block.type === 'tool_use' || block.type === 'server_tool_use')
    return call(block.id, block.name, block.input);
  if (block.type === 'toolCall') return call(block.id, block.name, block.arguments);
  if (block.type === 'tool_result')
    return result(block.tool_use_id, null, block.content, block.is_error === true);
  const asked = objectOf(block.functionCall);
  if (asked !== null) return call(asked.id, asked.name, asked.args);
  const answered = objectOf(block.functionResponse);
  if (answered === null) return null;
  const { output, error } = objectOf(answered.response) ?? {};
  const given = error ?? output ?? answered.response;
  return result(answered.id, answered.name, given, error !== undefined);
}

/** Reasoning is not part of the conversation and has its words under other names than `text`. */
function blockText(block: JsonObject): string | null {
  return block.thought === true ? null : textOf(block.text);
}

/** Of an image or a file only what it is: its bytes are in the record. */
function resultText(output: unknown): string {
  if (!Array.isArray(output)) return textOrJson(output);
  return output
    .map(blockOf)
    .map((part) => textOf(part.text) ?? `[${textOf(part.type) ?? 'data'}]`)
    .join('\n');
}

const programTags = /^\s*<(system-reminder|session_context|loaded_context|environment_context)>/;

/** Blocks that a program puts beside the user's words; the user has not said them. */
function isFromProgram(text: string): boolean {
  return programTags.test(text);
}
