import { expect, test } from '@jest/globals';
import { limits } from '../../../contract/limits.ts';
import { openStore } from '../../../store/index.ts';
import { findSession } from '../../../store/sessions.ts';
import { refusal } from '../operations-fixture.ts';
import { everyHook, hookNames, withHooks, type HookRoom } from './hooks-fixture.ts';

const start = (room: HookRoom, more: object = {}, path: 'plugin' | 'legacy' | null = null) =>
  room.ask(
    'hookSessionStart',
    { harness: 'claude-code', sessionKey: 's1', ...more },
    room.over(path),
  );

/** Every row of every table: claims, sessions and their edges, turns, the outbox. */
const everything = ({ store: { db } }: HookRoom) =>
  db
    .all<{ name: string }>(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`)
    .map(({ name }) => [name, db.all(`SELECT * FROM ${name}`)]);

test.each([
  ['its sub-agent is known', true],
  ['its sub-agent is not', false],
])(
  'one runtime path has a session, and %s: the other is refused by name on every hook, and changes nothing [signet 3, 13]',
  (_, isChildKnown) =>
    withHooks(async (room) => {
      await start(room, { runtimePath: 'plugin' });
      await start(room, { sessionKey: 's2' }, 'legacy');
      const asChild = { ...everyHook.hookSubagentStart, runtimePath: 'plugin' as const };
      if (isChildKnown) await room.ask('hookSubagentStart', asChild);
      expect(room.all('s1:a1')).toHaveLength(isChildKnown ? 1 : 0);
      // A claim that is taken, kept for longer or given up would say another time.
      room.clock.advance(60_000);
      const before = everything(room);
      for (const name of hookNames) {
        const call = room.ask(name, everyHook[name] as never, room.over('legacy'));
        await expect(call).rejects.toMatchObject({
          code: 'session_claimed',
          message: 'session claimed by plugin path',
        });
        expect([name, everything(room)]).toEqual([name, before]);
      }
      expect(room.all('s1')).toEqual(['mark: started']);
      expect(room.count('outbox')).toBeGreaterThan(0);
    }),
);

test('the header goes before the body [signet 3]', async () => {
  await withHooks(async (room) => {
    await start(room, { runtimePath: 'legacy' }, 'plugin');
    expect(room.session('s1')!.runtime_path).toBe('plugin');
    expect(await refusal(start(room, { runtimePath: 'plugin' }, 'legacy'))).toBe('session_claimed');
  });
});

test('each hook over the same path makes the claim last longer [signet 4, 7]', async () => {
  await withHooks(async (room) => {
    await start(room, {}, 'plugin');
    const first = room.session('s1')!;
    room.clock.advance(limits.claimMs - 1000);
    await room.prompt('s1', 'still here', { runtimePath: 'plugin' });
    const second = room.session('s1')!;
    expect(second.claim_expires_at! > first.claim_expires_at!).toBe(true);
    expect(second.claimed_at).toBe(first.claimed_at);
    room.clock.advance(limits.claimMs - 1000);
    expect(await refusal(start(room, {}, 'legacy'))).toBe('session_claimed');
    room.clock.advance(2000);
    await start(room, {}, 'legacy');
    expect(room.session('s1')!.runtime_path).toBe('legacy');
  });
});

test('two agents may have the same key, each over its own path [signet 5]', async () => {
  await withHooks(async (room) => {
    await start(room, { agentId: 'alice' }, 'plugin');
    await start(room, { agentId: 'bob' }, 'legacy');
    expect(room.session('s1', 'alice')!.runtime_path).toBe('plugin');
    expect(room.session('s1', 'bob')!.runtime_path).toBe('legacy');
  });
});

test('claims and bypass are there after a restart [signet 6]', async () => {
  await withHooks(async (room) => {
    await start(room, {}, 'plugin');
    room.store.db.run('UPDATE sessions SET bypassed = 1');
    const again = openStore(room.deps.paths.database, { checkpoints: false });
    const known = findSession(again.db, 'default', 's1')!;
    await again.close();
    expect([known.runtime_path, known.bypassed]).toEqual(['plugin', 1]);
  });
});

test('the end frees the session; an end over the other path does not [signet 54]', async () => {
  await withHooks(async (room) => {
    await start(room, {}, 'plugin');
    const end = (path: 'plugin' | 'legacy') =>
      room.ask('hookSessionEnd', everyHook.hookSessionEnd, room.over(path));
    expect(await refusal(end('legacy'))).toBe('session_claimed');
    expect(room.session('s1')!.runtime_path).toBe('plugin');
    await end('plugin');
    expect(room.session('s1')!.runtime_path).toBeNull();
    await start(room, {}, 'legacy');
  });
});

test('bypass lasts until the session ends, which frees it; what comes late from before its end is still not heard', async () => {
  await withHooks(async (room) => {
    await start(room, {}, 'plugin');
    const bypass = (enabled: boolean) => room.ask('bypassSession', { key: 's1', enabled });
    const isBypassed = async () => (await room.ask('getSession', { key: 's1' })).bypassed;
    await bypass(true);
    room.clock.advance(10 * limits.claimMs);
    expect(await room.prompt('s1', 'days later')).toMatchObject({ bypassed: true });
    const before = room.clock.now().toISOString();
    room.clock.advance(60_000);
    const end = { ...everyHook.hookSessionEnd, transcript: 'User: nobody is to know' };
    for (const _ of ['at first', 'and again']) {
      expect(await room.ask('hookSessionEnd', end, room.over('plugin'))).toMatchObject({
        bypassed: true,
      });
    }
    expect(await isBypassed()).toBe(false);
    expect(room.session('s1')).toMatchObject({
      runtime_path: null,
      ended_at: expect.any(String),
    });
    expect(await room.prompt('s1', 'late', { at: before })).toMatchObject({ bypassed: true });
    expect(await room.ask('hookStop', everyHook.hookStop)).toMatchObject({ bypassed: true });
    expect(room.all('s1')).toEqual(['mark: started']);
    await start(room, { source: 'resume' }, 'legacy');
    await room.prompt('s1', 'heard');
    expect(room.said('s1')).toEqual(['user: heard']);
  });
});

test('workflows hear of the end of a bypassed session, and what was at work in it is over, without a word', async () => {
  await withHooks(async (room) => {
    await start(room, {}, 'plugin');
    await room.ask('hookSubagentStart', everyHook.hookSubagentStart, room.over('plugin'));
    await room.ask('bypassSession', { key: 's1', enabled: true });
    const all = room.all('s1:a1');
    room.store.db.run('DELETE FROM outbox');
    await room.ask('hookSessionEnd', everyHook.hookSessionEnd, room.over('plugin'));
    expect(room.session('s1:a1')).toMatchObject({
      ...{ ended_at: expect.any(String), runtime_path: null },
    });
    expect([room.all('s1:a1'), room.all('s1')]).toEqual([all, ['mark: started']]);
    expect((await room.ask('listSessions', { active: true })).sessions).toEqual([]);
    expect(room.store.db.all('SELECT workflow_id AS id FROM outbox ORDER BY id')).toEqual([
      ...[{ id: 'session/default/s1' }, { id: 'session/default/s1:a1' }],
    ]);
  });
});

test('the stop of a sub-agent that is bypassed is its end, and its next start is heard', async () => {
  await withHooks(async (room) => {
    await room.ask('hookSubagentStart', everyHook.hookSubagentStart, room.over('legacy'));
    await room.ask('bypassSession', { key: 's1:a1', enabled: true });
    const stop = { ...everyHook.hookSubagentStop, lastAssistantMessage: 'nobody is to know' };
    const bypassed = { sessionKey: null, ended: false, bypassed: true };
    expect(await room.ask('hookSubagentStop', stop, room.over('legacy'))).toEqual(bypassed);
    expect(room.session('s1:a1')).toMatchObject({
      ...{ ended_at: expect.any(String), runtime_path: null },
    });
    expect((await room.ask('getSession', { key: 's1' })).openChildren).toBe(0);
    await room.ask('hookSubagentStart', everyHook.hookSubagentStart);
    expect(room.all('s1:a1')).toEqual(['mark: started']);
    expect(room.session('s1:a1')).toMatchObject({ ended_at: null, bypassed: 0 });
  });
});

test('an end over the other path leaves the claim of a bypassed session as it is; one that was bypassed after its end stays so [signet 54]', async () => {
  await withHooks(async (room) => {
    const end = (path: 'plugin' | 'legacy') =>
      room.ask('hookSessionEnd', everyHook.hookSessionEnd, room.over(path));
    await start(room, {}, 'plugin');
    await room.ask('bypassSession', { key: 's1', enabled: true });
    await end('legacy');
    expect(room.session('s1')!.runtime_path).toBe('plugin');
    await room.ask('bypassSession', { key: 's1', enabled: true });
    expect(await start(room)).toMatchObject({ bypassed: true });
    await room.ask('bypassSession', { key: 's1', enabled: false });
    expect(await start(room)).not.toHaveProperty('bypassed');
  });
});

test('a bypassed session is left alone, each hook in its own shape, whoever holds it [signet 52]', async () => {
  await withHooks(async (room) => {
    await start(room, {}, 'plugin');
    room.store.db.run('UPDATE sessions SET bypassed = 1');
    const answers = [];
    for (const name of hookNames) {
      answers.push([name, await room.ask(name, everyHook[name] as never, room.over('legacy'))]);
    }
    expect(Object.fromEntries(answers)).toEqual({
      hookSessionStart: { inject: '', memories: [], bypassed: true },
      hookUserPromptSubmit: {
        inject: '',
        reason: 'off',
        memoryCount: 0,
        sessionKnown: false,
        bypassed: true,
      },
      hookSessionEnd: { memoriesSaved: 0, queued: false, bypassed: true },
      hookPreCompaction: { summaryPrompt: '', guidelines: '', bypassed: true },
      hookCompactionComplete: { success: true, memoryId: null, contextEpoch: 0, bypassed: true },
      hookSessionCheckpointExtract: { skipped: true, bypassed: true },
      hookSubagentStart: { inject: '', memories: [], sessionKey: null, bypassed: true },
      hookSubagentStop: { sessionKey: null, ended: false, bypassed: true },
      hookStop: { inject: '', reason: 'off', bypassed: true },
    });
    expect(room.all('s1')).toEqual(['mark: started']);
    room.store.db.run('UPDATE sessions SET bypassed = 0');
    // What extracts nothing says so in the same words, and keeps what it brings.
    expect(await room.report('s1', 'User: heard')).toEqual({ skipped: true });
    expect(room.said('s1')).toEqual(['user: heard']);
  });
});

test('what sub-agents tell renews the claim of the session that they are in, and takes none', async () => {
  await withHooks(async (room) => {
    await start(room, {}, 'plugin');
    room.clock.advance(limits.claimMs - 1000);
    await room.ask('hookSubagentStart', everyHook.hookSubagentStart, room.over('plugin'));
    room.clock.advance(2000);
    expect(await refusal(start(room, {}, 'legacy'))).toBe('session_claimed');
    room.clock.advance(limits.claimMs);
    await room.ask('hookSubagentStop', everyHook.hookSubagentStop, room.over('plugin'));
    await start(room, {}, 'legacy');
    expect(room.session('s1')!.runtime_path).toBe('legacy');
  });
});
