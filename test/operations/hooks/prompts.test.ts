import { expect, test } from '@jest/globals';
import { line, withHooks } from './hooks-fixture.ts';

test('prompts without a transcript become turns in order, each once [signet 14, 17]', async () => {
  await withHooks(async (room) => {
    const first = await room.prompt('s1', 'one');
    expect(first).toEqual({ inject: '', reason: 'no_memory', memoryCount: 0, sessionKnown: false });
    await room.prompt('s1', 'two', { lastAssistantMessage: 'done one' });
    await room.prompt('s1', 'two', { lastAssistantMessage: 'done one' });
    expect(await room.prompt('s1', 'three')).toMatchObject({ sessionKnown: true });
    expect(room.said('s1')).toEqual([
      'user: one',
      'assistant: done one',
      'user: two',
      'user: three',
    ]);
  });
});

test('without a key, the same prompt after another answer is said again, and so is one that was part of the last', async () => {
  await withHooks(async (room) => {
    await room.prompt('s1', 'go on');
    for (const _ of ['once', 'as a repeat']) {
      await room.prompt('s1', 'go on', { lastAssistantMessage: 'one of two is done' });
    }
    await room.prompt('s1', 'go on', { lastAssistantMessage: 'is done' });
    await room.prompt('s1', 'look at the tests and mend them');
    await room.prompt('s1', 'look at the tests');
    expect(room.said('s1')).toEqual([
      'user: go on',
      'assistant: one of two is done',
      'user: go on',
      'assistant: is done',
      'user: go on',
      'user: look at the tests and mend them',
      'user: look at the tests',
    ]);
  });
});

test('userMessage goes before userPrompt, and sessionId stands for sessionKey', async () => {
  await withHooks(async (room) => {
    const hook = {
      harness: 'codex',
      sessionId: 'session:s1',
      userMessage: 'clean',
      userPrompt: 'raw',
    };
    await room.ask('hookUserPromptSubmit', hook);
    await room.prompt('s1', ' ', { userPrompt: 'typed' });
    expect(room.said('s1')).toEqual(['user: clean', 'user: typed']);
  });
});

test.each(['parentSessionKey', 'parentKey', 'parentId', 'parentID'])(
  'a parent may be named by %s, and a project by cwd',
  (name) =>
    withHooks(async (room) => {
      await room.prompt('root', 'hello');
      const start = { harness: 'opencode', sessionKey: 'c', cwd: '/repo/', [name]: 'session:root' };
      const { inject } = await room.ask('hookSessionStart', start as never);
      expect(inject).toContain('User: hello');
      expect(room.session('c')!.project).toBe('/repo');
    }),
);

test('the same words under another key, or at another time, are said again', async () => {
  await withHooks(async (room) => {
    for (const idempotencyKey of ['k1', 'k2', 'k1'])
      await room.prompt('s1', 'go on', { idempotencyKey });
    for (const at of [
      '2026-03-08T10:00:00Z',
      '2026-03-08T10:01:00+00:00',
      '2026-03-08T10:00:00Z',
    ]) {
      await room.prompt('s2', 'go on', { at });
    }
    expect(room.said('s1')).toHaveLength(2);
    expect(room.said('s2')).toHaveLength(2);
  });
});

test('a repeat under its key is answered as it was', async () => {
  await withHooks(async (room) => {
    const summarise = (summary: string, idempotencyKey: string) =>
      room.ask('hookCompactionComplete', {
        harness: 'x',
        sessionKey: 's1',
        summary,
        idempotencyKey,
      });
    const answer = await summarise('first', 'k1');
    expect(await summarise('second', 'k2')).toMatchObject({ contextEpoch: 2 });
    expect(await summarise('first', 'k1')).toEqual(answer);
    expect(room.session('s1')!.context_epoch).toBe(2);
  });
});

test('what no hook knows is kept with the turn', async () => {
  await withHooks(async (room) => {
    await room.prompt('s1', 'hello', { permission_mode: 'plan', nested: { a: [1] } });
    expect(
      room.store.db.all('SELECT role, extra FROM turns WHERE text = :text', { text: 'hello' }),
    ).toEqual([{ role: 'user', extra: '{"permission_mode":"plan","nested":{"a":[1]}}' }]);
  });
});

test('what no hook knows is kept with the turn that the transcript has told, and a repeat leaves it', async () => {
  await withHooks(async (room) => {
    const extras = () =>
      room.store.db.all('SELECT role, text, extra FROM turns WHERE extra IS NOT NULL ORDER BY seq');
    const prompt = line('user', 'hello there you');
    await room.prompt('s1', 'hello there you', { transcript: prompt, permission_mode: 'plan' });
    await room.prompt('s1', 'hello there you', { transcript: prompt, permission_mode: 'auto' });
    const asked = { role: 'user', text: 'hello there you', extra: '{"permission_mode":"plan"}' };
    expect(extras()).toEqual([asked]);
    await room.ask('hookStop', {
      harness: 'claude-code',
      sessionKey: 's1',
      transcript: prompt + line('assistant', 'hello yourself'),
      lastAssistantMessage: 'hello yourself',
      ...{ effort: 'high' },
    });
    const answer = { role: 'assistant', text: 'hello yourself', extra: '{"effort":"high"}' };
    expect(extras()).toEqual([asked, answer]);
    // A hook without words: with the last that its transcript brings.
    const more = line('user', 'and now?') + line('assistant', 'nothing');
    await room.report('s1', prompt + line('assistant', 'hello yourself') + more, { trigger: 'x' });
    await room.report('s1', prompt + line('assistant', 'hello yourself') + more, { trigger: 'y' });
    const last = { role: 'assistant', text: 'nothing', extra: '{"trigger":"x"}' };
    expect(extras()).toEqual([asked, answer, last]);
  });
});

test('what no hook knows is kept with the turn that a hook before has told', async () => {
  await withHooks(async (room) => {
    const stop = { harness: 'claude-code', sessionKey: 's1', lastAssistantMessage: 'done' };
    await room.prompt('s1', 'hello');
    await room.ask('hookStop', stop);
    await room.ask('hookStop', { ...stop, ...{ effort: 'high' } });
    expect(room.said('s1')).toEqual(['user: hello', 'assistant: done']);
    const extras = 'SELECT text, extra FROM turns WHERE extra IS NOT NULL';
    expect(room.store.db.all(extras)).toEqual([{ text: 'done', extra: '{"effort":"high"}' }]);
  });
});

test('a prompt is the same where its program keeps it with words of its own around it', async () => {
  await withHooks(async (room) => {
    await room.prompt('s1', 'please look at the heron');
    const kept = 'please look at the heron\n\n[file: heron.ts]';
    const transcript = line('user', kept) + line('assistant', 'I see it');
    await room.ask('hookStop', { harness: 'claude-code', sessionKey: 's1', transcript });
    await room.prompt('s1', 'and the otter?', { transcript });
    const said = room.said('s1');
    expect(said.filter((turn) => turn.includes('heron'))).toHaveLength(1);
    expect(said.slice(1)).toEqual(['assistant: I see it', 'user: and the otter?']);
  });
});

test('a key is a hook’s own, and a time names what was said at it', async () => {
  await withHooks(async (room) => {
    const key = { idempotencyKey: 'k' };
    await room.prompt('s1', 'hello', key);
    const stop = { harness: 'claude-code', sessionKey: 's1', lastAssistantMessage: 'done', ...key };
    expect(await room.ask('hookStop', stop)).not.toHaveProperty('memoryCount');
    const at = room.clock.now().toISOString();
    for (const words of ['one', 'two', 'two']) await room.prompt('s1', words, { at });
    expect(room.said('s1')).toEqual([
      ...['user: hello', 'assistant: done', 'user: one', 'user: two'],
    ]);
  });
});

test('a prompt and an answer that the transcript tells later are one turn each', async () => {
  await withHooks(async (room) => {
    await room.prompt('s1', 'one');
    await room.prompt('s1', 'two', {
      transcript: line('user', 'one') + line('assistant', 'first'),
    });
    await room.ask('hookStop', {
      harness: 'claude-code',
      sessionKey: 's1',
      lastAssistantMessage: 'second',
    });
    const all = ['one', 'first', 'two', 'second'].map((text, index) =>
      line(index % 2 === 0 ? 'user' : 'assistant', text),
    );
    await room.report('s1', all.join(''));
    await room.report('s1', all.join(''));
    expect(room.said('s1')).toEqual([
      'user: one',
      'assistant: first',
      'user: two',
      'assistant: second',
    ]);
    const rows = room.store.db.all<{ raw: string | null }>('SELECT raw FROM turns ORDER BY seq');
    expect(rows.map((row) => row.raw)).toEqual([all[0], all[1], all[2], all[3]]);
  });
});

test('what was told in one go comes into its order when the transcript is there', async () => {
  await withHooks(async (room) => {
    for (const text of ['one', 'two', 'three']) await room.prompt('s1', text);
    const said = ['one', 'a1', 'two', 'a2', 'three', 'a3'];
    const lines = said.map((text, index) => line(index % 2 === 0 ? 'user' : 'assistant', text));
    await room.report('s1', lines.slice(0, 3).join(''));
    expect(room.said('s1').map((turn) => turn.split(': ')[1])).toEqual([
      'one',
      'a1',
      'two',
      'three',
    ]);
    await room.report('s1', lines.join(''));
    expect(room.said('s1').map((turn) => turn.split(': ')[1])).toEqual(said);
    const content = room.store.db.get<{ content: string }>(
      'SELECT content FROM session_transcripts',
    );
    expect(content!.content).toBe(
      'User: one\nAssistant: a1\nUser: two\nAssistant: a2\nUser: three\nAssistant: a3',
    );
  });
});

test('a prompt that was told before any transcript came is known again, however far the transcripts lag behind', async () => {
  await withHooks(async (room) => {
    const lines = [line('user', 'one'), line('assistant', 'a1'), line('user', 'two')];
    await room.prompt('s1', 'two', { lastAssistantMessage: 'a1' });
    for (const until of [1, 2, 3]) await room.report('s1', lines.slice(0, until).join(''));
    expect(room.said('s1')).toEqual(['user: one', 'assistant: a1', 'user: two']);
    expect(room.all('s1').filter((turn) => turn === 'user: two')).toHaveLength(1);
  });
});

test("a sub-agent's task is told without what its program puts before it of our own words", () =>
  withHooks(async (room) => {
    await room.prompt('root', 'a word of the root', { harness: 'copilot-cli' });
    const child = { harness: 'copilot-cli', harnessAgentId: 'a1' };
    const start = { ...child, sessionKey: 'root', childSessionKey: 'a1' };
    const { inject } = await room.ask('hookSubagentStart', start);
    expect(inject).toContain('a word of the root');
    await room.prompt('a1', `${inject}\n\nRun the probe.`, child);
    expect(room.said('a1')).toEqual(['user: Run the probe.']);
    // The root's user may well say the same.
    await room.prompt('root', inject, { harness: 'copilot-cli' });
    expect(room.said('root').at(-1)).toBe(`user: ${inject}`);
  }));
