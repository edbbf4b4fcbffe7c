/** The contract's schemas as JSON Schema, answers as named components. */
import { z } from 'zod';
import { hookAliases } from '../contract/hooks.ts';
import { operations, type OperationName } from '../contract/operations.ts';
import {
  callbackSchema,
  subAgentRecordSchema,
  treeNodeSchema,
  turnSchema,
} from '../contract/records.ts';
import { problemSchema, runnerInfoSchema } from '../contract/system-records.ts';

export type JsonObject = Record<string, unknown>;
export interface ObjectSchema extends JsonObject {
  properties: Record<string, JsonObject>;
  required?: string[];
}

export function inputSchema(schema: z.ZodType): ObjectSchema {
  return withoutMeta(
    z.toJSONSchema(schema, { io: 'input', override: (entry) => plain(entry.jsonSchema) }),
  ) as ObjectSchema;
}

/** In a hook, blanks, too; and what must be there may come under another name (contract/hooks.ts). */
export function ofHook(schema: ObjectSchema): ObjectSchema {
  const { properties, required = [], ...rest } = schema;
  const namesOf = (name: string) =>
    [name, ...(hookAliases[name] ?? [])].filter((one) => one in properties);
  const firm = required.filter((name) => namesOf(name).length === 1);
  const loose = required.filter((name) => !firm.includes(name));
  const fields = Object.entries(properties).map(([name, field]) => {
    return [name, firm.includes(name) ? field : orElse(field, blank)];
  });
  const choices = loose.map((name) => ({
    anyOf: namesOf(name).map((one) => ({ required: [one] })),
  }));
  return {
    ...rest,
    properties: Object.fromEntries(fields),
    required: firm,
    ...(choices.length > 0 && { allOf: choices }),
  };
}

const blank = { type: 'string', pattern: '^\\s*$' };

/** In a body, null for a field that may be left out is as if it had been left out (contract/absent.ts). */
export function withNulls<S extends JsonObject>(schema: S): S {
  const { properties, required, items, ...rest } = schema as JsonObject & Partial<ObjectSchema>;
  const fields = Object.entries(properties ?? {}).map(([name, field]) => {
    const whole = withNulls(field);
    return [name, required?.includes(name) ? whole : orNull(whole)];
  });
  return {
    ...rest,
    ...(properties && { properties: Object.fromEntries(fields) }),
    ...(required && { required }),
    ...(items !== undefined && { items: withNulls(items as JsonObject) }),
  } as S;
}

function orNull(schema: JsonObject): JsonObject {
  const isThere = (schema['anyOf'] as JsonObject[] | undefined)?.some(
    ({ type }) => type === 'null',
  );
  return isThere ? schema : orElse(schema, { type: 'null' });
}

function orElse(field: JsonObject, other: JsonObject): JsonObject {
  const { description, default: value, ...schema } = field;
  const options = (schema['anyOf'] as JsonObject[] | undefined) ?? [schema];
  return {
    ...(description !== undefined && { description }),
    ...(value !== undefined && { default: value }),
    anyOf: [...options, other],
  };
}

export function refTo(name: OperationName): JsonObject {
  return { $ref: `#/components/schemas/${nameOfAnswer(name)}` };
}

export function answerSchemas(): Record<string, JsonObject> {
  const named = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(shared)) named.add(schema, { id });
  for (const name of Object.keys(operations) as OperationName[]) {
    const { output } = operations[name];
    if (!named.has(output)) named.add(output, { id: nameOfAnswer(name) });
  }
  const { schemas } = z.toJSONSchema(named, {
    io: 'output',
    uri: (id) => `#/components/schemas/${id}`,
    override: (entry) => open(plain(entry.jsonSchema)),
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, schema]) => [id, withoutMeta(schema)]),
  );
}

const shared = {
  SubAgentRecord: subAgentRecordSchema,
  TreeNode: treeNodeSchema,
  Turn: turnSchema,
  Callback: callbackSchema,
  RunnerInfo: runnerInfoSchema,
  Problem: problemSchema,
} as const;

function nameOfAnswer(name: OperationName): string {
  const { output } = operations[name];
  const known = Object.entries(shared).find(([, schema]) => (schema as z.ZodType) === output);
  if (known) return known[0];
  // Two operations with the same answer share the first one's name.
  const first = (Object.keys(operations) as OperationName[]).find(
    (other) => (operations[other].output as z.ZodType) === output,
  );
  return `${capital(first ?? name)}Answer`;
}

/** What the format or the type says already, and what zod adds to every integer. */
function plain(schema: JsonObject): JsonObject {
  if (schema['format'] !== undefined) delete schema['pattern'];
  if (schema['maximum'] === Number.MAX_SAFE_INTEGER) delete schema['maximum'];
  if (schema['minimum'] === Number.MIN_SAFE_INTEGER) delete schema['minimum'];
  return schema;
}

/** Answers may grow fields, so a reader must not refuse the ones it does not know. */
function open(schema: JsonObject): JsonObject {
  if (schema['additionalProperties'] === false) delete schema['additionalProperties'];
  return schema;
}

function withoutMeta(schema: JsonObject): JsonObject {
  const { $schema: _schema, $id: _id, ...rest } = schema;
  return rest;
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
