/** With a token for one agent, or an agent's own, a file is opened only as the transcript of the session it bears the id of. */
import { symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { sessionKeySchema } from '../../../contract/fields.ts';
import { callerAs, refusal } from '../operations-fixture.ts';
import { line, withHooks, type HookRoom } from './hooks-fixture.ts';

const tokenOf = (agentId: string, project: string | null = null) =>
  callerAs({
    claims: {
      role: 'agent',
      agentId,
      project,
      permissions: ['remember', 'recall'],
      expiresAt: '2999-01-01T00:00:00.000Z',
    },
  });
const [alice, bob] = [tokenOf('alice'), tokenOf('bob')];

const root = '01a1ee01-7a59-7b32-9493-6ce171d70674';
const child = '01a1ee01-7bde-7c30-a60f-09141f2b7252';

/** As the programs name them: in `shared/captures`, OpenClaw's from its documentation. */
const files: Record<string, Named> = {
  'Claude Code': { file: `projects/-work/${root}.jsonl` },
  "Claude Code's sub-agent": {
    file: `projects/-work/${root}/subagents/agent-a1221b6a410bf791b.jsonl`,
    harnessAgentId: 'a1221b6a410bf791b',
  },
  Codex: { file: `2026/11/18/rollout-2026-11-18T09-33-56-${root}.jsonl` },
  "Codex' sub-agent": {
    file: `2026/11/18/rollout-2026-11-18T09-33-57-${child}.jsonl`,
    harnessAgentId: child,
  },
  Gemini: { file: `work/chats/session-2026-11-18T09-35-${root.slice(0, 8)}.jsonl` },
  Copilot: { file: `${root}/events.jsonl` },
  "Copilot's sub-agent": { file: `${root}/events.jsonl`, harnessAgentId: 'call_7' },
  OpenClaw: { file: `main/sessions/${root}.jsonl` },
};

interface Named {
  file: string;
  harnessAgentId?: string;
}

const told = (room: HookRoom, { file, harnessAgentId }: Named) => ({
  harness: 'claude-code',
  sessionKey: root,
  transcriptPath: room.stage(file, line('user', 'SECRET')),
  ...(harnessAgentId !== undefined && { harnessAgentId }),
});

const read = (room: HookRoom) =>
  room.store.db.all(
    "SELECT DISTINCT agent_id FROM sessions s JOIN turns t ON t.session_id = s.id WHERE t.text = 'SECRET'",
  );

test.each(Object.entries(files))('%s: its own session reads the file, another never', (_, one) =>
  withHooks(async (room) => {
    const hook = told(room, one);
    const stop = one.harnessAgentId === undefined ? 'hookStop' : 'hookSubagentStop';
    // Under a name of its own nobody gets it, known or not yet known.
    const mine = { ...hook, sessionKey: 'mine', harnessAgentId: 'of-mine' };
    for (const caller of [alice, bob]) {
      expect(await refusal(room.ask('hookStop', mine, caller))).toBe('transcript_refused');
    }
    await room.ask(stop, hook as never, alice);
    expect(read(room)).toEqual([{ agent_id: 'alice' }]);
    // Under hers neither, now that it is known whose it is.
    const his = { ...hook, userMessage: 'kept all the same' };
    expect(await refusal(room.ask('hookUserPromptSubmit', his, bob))).toBe('transcript_refused');
    expect(room.store.db.all("SELECT 1 FROM turns WHERE text = 'kept all the same'")).toHaveLength(
      1,
    );
    expect(await refusal(room.ask('hookStop', mine, bob))).toBe('transcript_refused');
    expect(read(room)).toEqual([{ agent_id: 'alice' }]);
  }),
);

test('whoever takes her key afterwards does not keep her from her own', () =>
  withHooks(async (room) => {
    const hook = told(room, files['Claude Code']!);
    await room.ask('hookStop', hook, alice);
    await refusal(room.ask('hookUserPromptSubmit', { ...hook, userMessage: 'mine now' }, bob));
    expect(room.session(root, 'bob')).toBeDefined();
    expect(await refusal(room.ask('hookStop', hook, alice))).toBe('not refused');
  }));

test('a part of an id, a folder and the name of a kind of file are no id', () =>
  withHooks(async (room) => {
    const keys = [
      '6ce171d70674',
      '-work',
      'projects',
      'events',
      'agent',
      root.slice(0, 8),
      'subagents',
    ];
    for (const { file } of Object.values(files).filter(
      ({ file: name }) => !name.includes('session-'),
    )) {
      for (const sessionKey of keys) {
        const hook = { ...told(room, { file }), sessionKey };
        const asked = room.ask('hookStop', hook, bob);
        expect([file, sessionKey, await refusal(asked)]).toEqual([
          file,
          sessionKey,
          'transcript_refused',
        ]);
      }
    }
  }));

// Of dots alone is no key: a path with dots makes no other name either.
test('a link makes no other name of a file', () =>
  withHooks(async (room) => {
    const { transcriptPath, ...hook } = told(room, files['Claude Code']!);
    await room.ask('hookStop', { ...hook, transcriptPath }, alice);
    const link = join(dirname(transcriptPath), 'mine.jsonl');
    symlinkSync(transcriptPath, link);
    const by = (sessionKey: string, path: string) =>
      room.ask('hookStop', { harness: 'claude-code', sessionKey, transcriptPath: path }, bob);
    await expect(by('mine', link)).rejects.toMatchObject({
      code: 'transcript_refused',
      // Where a link leads is not told.
      message: expect.stringContaining(link),
    });
    for (const key of ['.', '..']) expect(sessionKeySchema.safeParse(key).success).toBe(false);
    expect(read(room)).toEqual([{ agent_id: 'alice' }]);
  }));

test("a sub-agent's token reads what its own program has written, and not what another's has", () =>
  withHooks(async (room) => {
    const [me, other] = [await room.start(), await room.start()];
    await Promise.all([room.host.claim(me.id), room.host.claim(other.id)]);
    const hook = told(room, { file: `projects/-work/${root}.jsonl` });
    await room.ask('hookStop', hook, room.child(me.id));
    expect(read(room)).toEqual([{ agent_id: 'default' }]);
    const more = { ...hook, sessionKey: 'another' };
    const asked = room.ask('hookStop', more, room.child(other.id));
    expect(await refusal(asked)).toBe('transcript_refused');
  }));

test('a token for one project does not read what its agent has said in another', () =>
  withHooks(async (room) => {
    const hook = told(room, { file: `projects/-work/${root}.jsonl` });
    await room.ask('hookStop', { ...hook, project: '/one' }, alice);
    const narrow = tokenOf('alice', '/two');
    const asked = room.ask(
      'hookStop',
      { ...hook, sessionKey: 'x', harnessAgentId: root, project: '/two' },
      narrow,
    );
    expect(await refusal(asked)).toBe('transcript_refused');
  }));

test('the administrator brings in what it names', () =>
  withHooks(async (room) => {
    const transcriptPath = room.stage('notes.jsonl', line('user', 'SECRET'));
    await room.ask('hookStop', { harness: 'claude-code', sessionKey: 's1', transcriptPath });
    expect(read(room)).toEqual([{ agent_id: 'default' }]);
  }));
