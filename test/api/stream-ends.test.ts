/** Over HTTP, too, a stream has an end when what it tells of is gone or out of reach. */
import { expect, test } from '@jest/globals';
import { withRealApi } from './real-api.ts';

test.each(['moved', 'deleted'] as const)('the events of a session that is %s are over', (how) =>
  withRealApi(async (api) => {
    const of = { harness: 'codex', sessionKey: 's1', agentId: 'alice' };
    const prompt = (userMessage: string, project: string) =>
      api.ask('hookUserPromptSubmit', { ...of, userMessage, project });
    await prompt('first words', '/s/p');
    const token = api.token({
      ...{ role: 'agent', agentId: 'alice', project: '/s/p', permissions: ['recall'] },
      expiresAt: '2999-01-01T00:00:00.000Z',
    });
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${api.url}/api/sessions/s1/events`, { headers });
    if (how === 'deleted') await api.ask('deleteSession', { key: 's1' });
    await prompt('words of q', '/s/q');
    const told = await response.text();
    expect(told).not.toContain('words of q');
    expect(told).not.toContain('event: problem');
    const again = await fetch(`${api.url}/api/sessions/s1/events`, { headers });
    expect(again.status).toBe(404);
  }),
);
