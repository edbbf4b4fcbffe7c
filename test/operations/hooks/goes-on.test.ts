/** A program that goes on because of a callback is told at its next stop what has come since, and that alone. */
import { expect, test } from '@jest/globals';
import { hooksOf } from '../../../harnesses/hooks-of.ts';
import { readHook, type HookCall } from '../../../harnesses/hooks.ts';
import { objectOf, type JsonObject } from '../../../harnesses/json.ts';
import { hooksIn, programOf } from '../../support/captures.ts';
import { callerAs } from '../operations-fixture.ts';
import { withHooks, type HookRoom } from './hooks-fixture.ts';

const callers = {
  read: callerAs({ claims: { role: 'admin' } }),
  unread: callerAs({ claims: { role: 'admin' }, isLateHook: true }),
};

/** A stop as the program tells it, going on or not; each told as `offshoot hook` tells it. */
function stopsOf(room: HookRoom, name: string, payload: JsonObject, harness: string) {
  return async (more: JsonObject): Promise<string> => {
    const inner = objectOf(payload['event']);
    const given = inner ? { ...payload, event: { ...inner, ...more } } : { ...payload, ...more };
    const call = readHook(await hooksOf(harness), { harness, name, payload: given })!;
    return (await ask(room, call)).inject;
  };
}

function ask(room: HookRoom, { request, isUnread }: HookCall) {
  room.clock.advance(1000);
  const at = room.clock.now().toISOString();
  const { transcriptPath: _, ...fields } = request;
  const hook = { ...fields, at, idempotencyKey: at };
  return room.ask('hookStop', hook as never, isUnread ? callers.unread : callers.read);
}

async function child(room: HookRoom, parent: string, agentId: string, answer: string) {
  const asked = { executionMode: 'ASYNC_CALLBACK', parentSessionId: parent, agentId } as const;
  const { id } = await room.start(asked);
  await room.host.play(id, answer);
}

const goingOn: JsonObject = { stop_hook_active: true };

test.each([
  ['claude-code/hooks.jsonl', 'Stop', goingOn],
  ['codex/hooks.jsonl', 'Stop', goingOn],
  ['gemini-cli/hooks.jsonl', 'AfterAgent', goingOn],
  ['copilot-cli/hooks.jsonl', 'agentStop', goingOn],
  ['copilot-cli/hooks-pascal-case.jsonl', 'Stop', goingOn],
  ['openclaw/plugin-hooks-finalize.jsonl', 'before_agent_finalize', { stopHookActive: true }],
])('%s: what came since it went on is told at the next %s, each once', (capture, name, active) =>
  withHooks(async (room) => {
    const harness = programOf(capture);
    const captured = hooksIn(capture).find((hook) => hook.name === name)!;
    const stop = stopsOf(room, name, captured.payload, harness);
    expect(await stop({})).toBe('');
    const [{ agentId, sessionKey }] = room.store.db.all<{ agentId: string; sessionKey: string }>(
      'SELECT agent_id AS agentId, session_key AS sessionKey FROM sessions LIMIT 1',
    ) as [{ agentId: string; sessionKey: string }];
    await child(room, sessionKey, agentId, 'first answer');
    expect(await stop({})).toContain('first answer');
    for (const answer of ['second answer', 'third answer']) {
      await child(room, sessionKey, agentId, answer);
      const inject = await stop(active);
      expect(inject).toContain(answer);
      expect(inject.match(/<agent-callback /g)).toHaveLength(1);
      expect(inject).not.toContain('repeat=');
    }
    expect(await stop(active)).toBe('');
    const states = room.store.db.all<{ state: string }>('SELECT state FROM mailbox');
    expect(states.map(({ state }) => state)).toEqual(['delivered', 'delivered', 'delivered']);
  }),
);

test('one that goes on and shows no sign of having read is not offered the same again: it can stop', () =>
  withHooks(async (room) => {
    const hook = { harness: 'claude-code', sessionKey: 'main' };
    await room.prompt('main', 'begin');
    await child(room, 'main', 'default', 'the answer');
    expect((await room.ask('hookStop', { ...hook, idempotencyKey: 'k1' })).inject).not.toBe('');
    // By a clock that is behind none of its turns is over after the offer.
    const at = new Date(room.clock.now().getTime() - 3_600_000).toISOString();
    for (const idempotencyKey of ['k2', 'k3']) {
      const goesOn = { ...hook, at, idempotencyKey, stopHookActive: true };
      expect((await room.ask('hookStop', goesOn)).inject).toBe('');
    }
    expect((await room.prompt('main', 'and now?')).inject).toContain('repeat="true"');
  }));

test('what a stop without a name was offered as it went on is not read by its repeat; by words that are new it is', () =>
  withHooks(async (room) => {
    const stop = { harness: 'claude-code', sessionKey: 'main' };
    const goesOn = { ...stop, stopHookActive: true, lastAssistantMessage: 'I see' };
    const states = async () => (await room.callbacks('main')).map(({ state }) => state);
    await room.prompt('main', 'begin');
    await child(room, 'main', 'default', 'first answer');
    await room.ask('hookStop', stop);
    await child(room, 'main', 'default', 'second answer');
    expect((await room.ask('hookStop', goesOn)).inject).toContain('second answer');
    expect((await room.ask('hookStop', goesOn)).inject).toBe('');
    expect(await states()).toEqual(['delivered', 'queued']);
    await room.ask('hookStop', { ...goesOn, lastAssistantMessage: 'I see that, too' });
    expect(await states()).toEqual(['delivered', 'delivered']);
  }));

test('nothing is offered to the end of a turn of OpenClaw, which nobody reads; the next pass is offered it', () =>
  withHooks(async (room) => {
    const stop = (name: string) => {
      const captured = hooksIn('openclaw/plugin-hooks-finalize.jsonl');
      const { payload } = captured.find((hook) => hook.name === name)!;
      return stopsOf(room, name, payload, 'openclaw');
    };
    await room.ask('hookSessionStart', { harness: 'openclaw', sessionKey: 'agent:main:main' });
    await child(room, 'agent:main:main', 'main', 'the answer');
    expect(await stop('agent_end')({})).toBe('');
    expect(await stop('before_agent_finalize')({})).toContain('the answer');
  }));

test('a turn of OpenCode that is broken off, which it tells twice, has read nothing; the next prompt is told it', () =>
  withHooks(async (room) => {
    const captured = hooksIn('opencode/plugin-hooks-and-events.jsonl');
    const { payload } = captured.find((hook) => hook.name === 'session.idle')!;
    const idle = stopsOf(room, 'session.idle', payload, 'opencode');
    const { sessionID } = payload['properties'] as { sessionID: string };
    const prompt = (userMessage: string) =>
      room.ask('hookUserPromptSubmit', { harness: 'opencode', sessionKey: sessionID, userMessage });
    await prompt('begin');
    await child(room, sessionID, 'default', 'the answer');
    expect(await idle({})).toBe('');
    expect(await idle({})).toBe('');
    const { inject } = await prompt('go on');
    expect(inject).toContain('the answer');
    expect(inject).not.toContain('repeat=');
    // A plugin that prompts by itself asks under our own name.
    const own = readHook(await hooksOf('opencode'), {
      ...{ harness: 'opencode', name: 'stop', payload: { input: { sessionID } } },
    })!;
    expect((await ask(room, own)).inject).toBe('');
    await child(room, sessionID, 'default', 'another answer');
    expect((await ask(room, own)).inject).toContain('another answer');
  }));
