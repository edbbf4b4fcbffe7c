/** `GET /api/sessions` and `GET /api/sessions/{key}`, with all that a session can have. */
import { expect, test } from '@jest/globals';
import { withRealApi, type Api } from './real-api.ts';

const HOUR = 3_600_000;
const hook = { harness: 'claude-code', sessionKey: 'root' };

/** A sub-agent at work, with one child of each kind at work, one of each ended, and a callback that waits. */
async function tellFamily({ ask, start, host, workspace, clock }: Api) {
  await ask('hookUserPromptSubmit', { ...hook, project: workspace, userMessage: 'begin' });
  const first = {
    ...hook,
    harnessAgentId: 'a1',
    agentType: 'worker',
    runtimePath: 'plugin',
  } as const;
  await ask('hookSubagentStart', first);
  for (const harnessAgentId of ['a2', 'a3']) {
    await ask('hookSubagentStart', { ...hook, harnessAgentId, parentHarnessAgentId: 'a1' });
  }
  await ask('hookSubagentStop', { ...hook, harnessAgentId: 'a3' });
  const asked = { parentSessionId: 'root:a1', executionMode: 'ASYNC_CALLBACK' } as const;
  await host.play((await start(asked)).id, 'done');
  await start(asked);
  clock.advance(HOUR);
  // The answer is read by nobody: what waits goes on waiting.
  await ask('hookSubagentStart', first);
}

test('a session is told with its place, its claim, and what is open and waits for it, alone and in the list', () =>
  withRealApi(async (api) => {
    const { http, store, workspace } = api;
    await tellFamily(api);
    const token = api.token({ role: 'admin' });
    const get = async (path: string) => {
      const { status, text } = await http(token, 'GET', `/api/sessions${path}`);
      return [status, JSON.parse(text) as { sessions: unknown[] }] as const;
    };
    const [status, child] = await get('/root:a1');
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect([status, child]).toEqual([
      200,
      {
        key: 'root:a1',
        agentId: 'default',
        kind: 'external',
        harness: 'claude-code',
        project: workspace,
        title: 'worker',
        runtimePath: 'plugin',
        claimedAt: time,
        expiresAt: time,
        bypassed: false,
        state: 'active',
        firstWords: null,
        endedAt: null,
        parentSessionId: 'root',
        rootSessionId: 'root',
        rule: 'subagent_start',
        depth: 1,
        openChildren: 2,
        waitingCallbacks: 1,
        lastActivityAt: time,
      },
    ]);
    const { updated_at: heard, created_at: begun } = store.db.get<Record<string, string>>(
      `SELECT updated_at, created_at FROM sessions WHERE session_key = 'root:a1'`,
    )!;
    const told = child as unknown as Record<string, string>;
    expect(told['lastActivityAt']).toBe(heard);
    expect(Date.parse(heard!) - Date.parse(begun!)).toBeGreaterThanOrEqual(HOUR);
    expect(Date.parse(told['expiresAt']!) - Date.parse(heard!)).toBe(4 * HOUR);
    const [, listed] = await get('?harness=claude-code');
    expect(listed.sessions).toContainEqual(child);
    const [, below] = await get('/root:a2');
    expect(below).toMatchObject({
      parentSessionId: 'root:a1',
      rootSessionId: 'root',
      rule: 'parent_agent',
      depth: 2,
      openChildren: 0,
      waitingCallbacks: 0,
    });
    const [, root] = await get('/root');
    expect(root).toMatchObject({
      parentSessionId: null,
      rootSessionId: 'root',
      rule: null,
      depth: 0,
    });
    expect(root).toMatchObject({ openChildren: 1, waitingCallbacks: 0, runtimePath: 'unknown' });
  }));

test('only what is claimed or at work is active: a session that we run for as long as something is open on it', () =>
  withRealApi(async (api) => {
    const { ask, start, host, clock } = api;
    const token = api.token({ role: 'admin' });
    const get = async (path: string) =>
      JSON.parse((await api.http(token, 'GET', path)).text) as Record<string, object[]>;
    const active = async () =>
      (await get('/api/sessions'))['sessions']!.map((one) => Reflect.get(one, 'key'));
    const present = async () =>
      (await get('/api/cross-agent/presence'))['agents']!.map((one) =>
        Reflect.get(one, 'sessions'),
      );
    const long = await start();
    const run = await host.claim(long.id);
    clock.advance(5 * HOUR);
    await host.sync([run]);
    await ask('registerSession', { key: 'outside' });
    const pending = await start();
    const short = await start();
    expect(await active()).toEqual([
      short.sessionKey,
      pending.sessionKey,
      'outside',
      long.sessionKey,
    ]);
    await host.play(short.id, 'done');
    expect(await active()).toEqual([pending.sessionKey, 'outside', long.sessionKey]);
    await ask('cancelSubagent', { id: pending.id });
    expect(await active()).toEqual(['outside', long.sessionKey]);
    expect(await present()).toEqual([2]);
    const all = (await get('/api/sessions?active=false'))['sessions']!;
    expect(all).toHaveLength(4);
    // A message to one that has ended: it is at work again.
    await ask('sendToSubagent', { id: short.id, prompt: 'more', waitSeconds: 0 });
    expect(await active()).toContain(short.sessionKey);
  }));
