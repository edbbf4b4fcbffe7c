import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { inputSchema } from '../../api/json-schema.ts';
import { withoutNulls } from '../../contract/absent.ts';
import {
  operations,
  type OperationDeclaration,
  type OperationName,
} from '../../contract/operations.ts';

const withBody = (Object.keys(operations) as OperationName[]).filter((name) =>
  ['POST', 'PUT'].includes(operations[name].method),
);

test.each(withBody)('null for what %s leaves out is as if it were not there', (name) => {
  const { input }: OperationDeclaration = operations[name];
  const { properties, required = [] } = inputSchema(input);
  const optional = Object.keys(properties).filter((field) => !required.includes(field));
  const nulls = Object.fromEntries(optional.map((field) => [field, null]));
  // What is missing is complained of in the same words; where nothing is, the same comes out.
  expect(outcome(input, nulls)).toEqual(outcome(input, {}));
  for (const field of required) {
    expect(outcome(input, { [field]: null })).toContainEqual(
      expect.objectContaining({ path: [field] }),
    );
  }
});

function outcome(schema: z.ZodType, given: unknown): unknown {
  const { success, data, error } = schema.safeParse(given);
  return success ? data : error?.issues;
}

test('at any depth; what null says by itself stays, and so does what is not known', () => {
  const schema = z.object({
    inner: z.object({ a: z.string().optional(), b: z.string().nullable().optional() }).default({}),
    list: z.array(z.object({ a: z.number().default(1) })).optional(),
    record: z.record(z.string(), z.string()).optional(),
    must: z.string(),
  });
  const given = {
    inner: { a: null, b: null, c: null },
    list: [{ a: null }, null],
    record: { x: null },
    must: null,
    other: null,
  };
  expect(withoutNulls(given, schema)).toEqual({
    inner: { b: null, c: null },
    list: [{}, null],
    record: { x: null },
    must: null,
    other: null,
  });
});

test('of two spellings the one that says something counts', () => {
  const { input } = operations.runSubagent;
  const task = { runnerId: 'demo', prompt: 'x' };
  for (const names of [
    { agent_id: 'a', agentId: null },
    { agentId: 'a', agent_id: null },
    { agent_id: null, agentId: 'a' },
  ]) {
    const found = input.safeParse({ ...task, ...names });
    expect(found).toMatchObject({ success: true, data: { agentId: 'a' } });
  }
});
