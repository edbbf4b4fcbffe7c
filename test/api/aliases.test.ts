/** The names of ADR-005 and the short ones: each is a field of the schema under another name. */
import { describe, expect, test } from '@jest/globals';
import type { aliases } from '../../contract/with-aliases.ts';
import { fakeApi } from './api-fixture.ts';

/** Of each the field that it means, and two values. Who adds a name adds it here, or this does not compile. */
const meant: Record<keyof typeof aliases, [field: string, value: unknown, other: unknown]> = {
  mode: ['executionMode', 'ASYNC_POLL', 'ASYNC_CALLBACK'],
  execution_mode: ['executionMode', 'ASYNC_POLL', 'SYNC'],
  parentSessionKey: ['parentSessionId', 'p', 'q'],
  parent_session_id: ['parentSessionId', 'p', 'q'],
  parent_session_key: ['parentSessionId', 'p', 'q'],
  runner_id: ['runnerId', 'sh', 'js'],
  agent_id: ['agentId', 'alice', 'bob'],
  wait_seconds: ['waitSeconds', 5, 6],
  spec_id: ['specId', 's-1', 's-2'],
  workspace_path: ['workspacePath', '/a', '/b'],
  session_key: ['sessionKey', 'a', 'b'],
  current_session_key: ['currentSessionKey', 'a', 'b'],
  root_session_key: ['rootSessionKey', 'a', 'b'],
  group_by: ['groupBy', 'session', 'turn'],
};

/** A request that takes this field, with it as it is said. */
function requestWith(field: string, said: Record<string, unknown>): [path: string, body: object] {
  if (/^(sessionKey|currentSessionKey|rootSessionKey|groupBy)$/.test(field)) {
    return ['/api/sessions/search', { query: 'x', ...said }];
  }
  const isOfContext = field === 'specId' || field === 'workspacePath';
  const rest = field === 'runnerId' ? { prompt: 'x' } : { runnerId: 'demo', prompt: 'x' };
  return ['/api/subagents', { ...rest, ...(isOfContext ? { context: said } : said) }];
}

describe.each(Object.entries(meant))('%s', (name, [field, value, other]) => {
  const ask = async (said: Record<string, unknown>) => {
    const api = fakeApi();
    const [path, body] = requestWith(field, said);
    const response = await api.ask('POST', path, { body });
    const { context, ...input } = { context: {}, ...api.asked[0]?.input };
    const { detail } = (await response.json()) as { detail?: string };
    return { status: response.status, input: { ...input, ...context }, detail };
  };

  test('means its field, alone and beside it, and null or a blank beside it says nothing', async () => {
    for (const said of [
      { [name]: value },
      { [name]: value, [field]: value },
      { [name]: value, [field]: null },
      { [field]: value, [name]: null },
      { [name]: value, [field]: '' },
      { [field]: '  ', [name]: value },
      { [field]: value, [name]: '' },
    ]) {
      const { status, input } = await ask(said);
      expect([status, input]).toEqual([200, expect.objectContaining({ [field]: value })]);
      expect(input).not.toHaveProperty(name);
    }
  });

  test('is refused where it disagrees with its field', async () => {
    const { status, detail } = await ask({ [name]: other, [field]: value });
    expect(status).toBe(400);
    expect(detail).toContain(`${field}: is given twice, under two names`);
  });
});
