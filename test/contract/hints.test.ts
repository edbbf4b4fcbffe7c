import { expect, test } from '@jest/globals';
import { hintFor, hints } from '../../contract/hints.ts';
import { tools } from '../../mcp/tools.ts';
import { toolSchemas } from '../../mcp/tool-schema.ts';

const http = /\/api\/|\b(GET|PUT|POST|DELETE) |X-Agent|Bearer|Idempotency-Key/;

test.each(Object.entries(hints))(
  'the hint %s speaks to each surface in its own words',
  (_, one) => {
    expect(hintFor('cli', one.http)).toBe(one.cli);
    expect(hintFor('mcp', one.http)).toBe(one.mcp);
    expect(one.cli).not.toMatch(http);
    expect(one.cli).not.toMatch(/parentSessionId|executionMode|context\.|agentId|nextCursor/);
    expect(one.mcp).not.toMatch(http);
  },
);

test('a hint that is not in the table stays as it came', () => {
  expect(hintFor('cli', 'Mend the roof.')).toBe('Mend the roof.');
  expect(hintFor('mcp', null)).toBeNull();
});

test('nothing that a model reads of a tool speaks HTTP', () => {
  const texts = tools.map((tool) => `${tool.description} ${JSON.stringify(toolSchemas(tool))}`);
  expect(texts.filter((text) => http.test(text))).toEqual([]);
});
