/** What no hook knows is refused by none, and is kept with the mark where a hook has no words to keep it with. */
import { expect, test } from '@jest/globals';
import { everyHook, hookNames, withHooks, type HookRoom } from './hooks-fixture.ts';

const unknown = { permission_mode: 'plan', nested: { of: [1, null] } };

/** The turn that each hook adds without a transcript; one that adds none has nothing to keep them with. */
const keptWith: Record<(typeof hookNames)[number], string | null> = {
  hookSessionStart: 'mark: started',
  hookUserPromptSubmit: 'user: hello',
  hookSessionEnd: 'mark: ended',
  hookPreCompaction: 'mark: about to be compacted',
  hookCompactionComplete: 'mark: compacted: so far',
  hookSessionCheckpointExtract: null,
  hookSubagentStart: 'mark: started',
  hookSubagentStop: 'mark: ended',
  hookStop: null,
};

const kept = async (room: HookRoom, key: string) => {
  const { jsonl } = await room.ask('exportSession', { key });
  const turns = jsonl.trimEnd().split('\n').slice(1);
  return turns.map((written) => {
    const { role, text, extra } = JSON.parse(written) as Record<string, unknown>;
    return [`${String(role)}: ${String(text)}`, extra];
  });
};

test.each(hookNames)('%s', (name) =>
  withHooks(async (room) => {
    const hook = { ...everyHook[name], ...unknown };
    const told = await room.ask(name, hook as never);
    const known = await room.ask(name, { ...everyHook[name], sessionKey: 's2' } as never);
    // The sub-agent's own key stands in what its hooks are answered.
    expect(JSON.stringify(told)).toBe(JSON.stringify(known).replace('s2', 's1'));
    const [key, turn] = [name.startsWith('hookSubagent') ? 's1:a1' : 's1', keptWith[name]];
    const turns = turn === null ? [] : [[turn, unknown]];
    expect(await kept(room, key)).toEqual(turns);
    // It comes again, and says more of itself: the one that is there stays as it is.
    await room.ask(name, { ...hook, permission_mode: 'auto' } as never);
    expect(await kept(room, key)).toEqual(turns);
    const { sessionKey: _, ...nowhere } = hook as Record<string, unknown>;
    if (name !== 'hookSessionCheckpointExtract') await room.ask(name, nowhere as never);
  }),
);

test('what a hook says beside its words is kept with the words, and its mark has none of it', () =>
  withHooks(async (room) => {
    const end = { ...everyHook.hookSessionEnd, ...unknown };
    await room.ask('hookSessionEnd', { ...end, lastAssistantMessage: 'done' });
    expect(await kept(room, 's1')).toEqual([
      ['assistant: done', unknown],
      ['mark: ended', null],
    ]);
  }));

test('a hook whose words are known, and have fields already, keeps its own with its mark', () =>
  withHooks(async (room) => {
    const words = { lastAssistantMessage: 'done' };
    await room.ask('hookStop', { ...everyHook.hookStop, ...words, ...{ effort: 'high' } });
    const compaction = { ...everyHook.hookPreCompaction, ...words, ...unknown };
    for (let n = 0; n < 2; n += 1) await room.ask('hookPreCompaction', compaction);
    expect(await kept(room, 's1')).toEqual([
      ['assistant: done', { effort: 'high' }],
      ['mark: about to be compacted', unknown],
    ]);
  }));

test('what only the repeat of a start says is kept with the start', () =>
  withHooks(async (room) => {
    await room.ask('hookSessionStart', everyHook.hookSessionStart);
    await room.ask('hookSessionStart', { ...everyHook.hookSessionStart, ...unknown });
    expect(await kept(room, 's1')).toEqual([['mark: started', unknown]]);
  }));
