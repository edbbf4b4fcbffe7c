/** What each hook takes beside its own fields, and a start that is told again. */
import { expect, test } from '@jest/globals';
import { everyHook, hookNames, withHooks } from './hooks-fixture.ts';

test.each(hookNames)(
  '%s: its time is the time of its turns, its project that of its session, and what came inline goes before a path',
  (name) =>
    withHooks(async (room) => {
      const transcriptPath = room.stage('s1.jsonl', 'User: by path\n');
      const more = { at: '2026-02-08T11:00:00+01:00', cwd: '/repo', transcriptPath };
      await room.ask(name, { ...everyHook[name], ...more, transcript: 'User: then\n' } as never);
      const turns = room.store.db.all<{ at: string; text: string }>('SELECT at, text FROM turns');
      expect(turns.map(({ text }) => text)).toContain('then');
      expect(turns.map(({ text }) => text)).not.toContain('by path');
      expect(new Set(turns.map(({ at }) => at))).toEqual(new Set(['2026-02-08T10:00:00.000Z']));
      const key = name.startsWith('hookSubagent') ? 's1:a1' : 's1';
      expect(room.session(key)!.project).toBe('/repo');

      await room.ask(name, { ...everyHook[name], transcriptPath } as never);
      expect(room.all(key).join()).toContain('by path');
    }),
);

test('a sub-agent whose start is told again has begun once, with its prompt', () =>
  withHooks(async (room) => {
    const start = { ...everyHook.hookSubagentStart, agentType: 'Explore', prompt: 'look around' };
    for (let n = 0; n < 3; n += 1) await room.ask('hookSubagentStart', start);
    const once = ['mark: started: Explore', 'user: look around'];
    expect(room.all('s1:a1')).toEqual(once);
    await room.ask('hookSubagentStart', { ...start, prompt: 'look further' });
    expect(room.all('s1:a1')).toEqual([...once, 'mark: started: Explore', 'user: look further']);
  }));
