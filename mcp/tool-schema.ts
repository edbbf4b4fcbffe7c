/** A tool's schemas as JSON Schema that every host and model provider takes. */
import { z } from 'zod';
import type { ToolDeclaration } from './tool.ts';

type JsonObject = Record<string, unknown>;
export interface ToolObjectSchema extends JsonObject {
  type: 'object';
}

export function toolSchemas(tool: ToolDeclaration): {
  inputSchema: ToolObjectSchema;
  outputSchema: ToolObjectSchema;
} {
  return {
    inputSchema: convert(tool.input, 'input', simple),
    outputSchema: convert(tool.output, 'output', open),
  };
}

function convert(
  schema: z.ZodType,
  io: 'input' | 'output',
  change: (schema: JsonObject) => void,
): ToolObjectSchema {
  const { $schema: _schema, ...rest } = z.toJSONSchema(schema, {
    io,
    override: (entry) => {
      withoutBounds(entry.jsonSchema);
      change(entry.jsonSchema);
    },
  });
  return { ...rest, type: 'object' };
}

/**
 * Providers refuse what their own dialect lacks: patterns with Unicode classes, `propertyNames`, and
 * unions with null. The server checks all of it, so the model's copy can do without.
 */
function simple(schema: JsonObject): void {
  delete schema['pattern'];
  delete schema['propertyNames'];
  const options = schema['anyOf'] as JsonObject[] | undefined;
  const others = options?.filter((option) => option['type'] !== 'null');
  if (others?.length !== 1) return;
  delete schema['anyOf'];
  Object.assign(schema, others[0]);
}

/** A host checks results against this; a newer server's fields must not make it refuse them. */
function open(schema: JsonObject): void {
  delete schema['pattern'];
  delete schema['additionalProperties'];
}

/** What zod adds to every integer says nothing. */
function withoutBounds(schema: JsonObject): void {
  if (schema['maximum'] === Number.MAX_SAFE_INTEGER) delete schema['maximum'];
  if (schema['minimum'] === Number.MIN_SAFE_INTEGER) delete schema['minimum'];
}
