/** Whoever reports under another agent's keys hears nothing of it, and changes nothing of it, by whatever hook and field. */
import { expect, test } from '@jest/globals';
import type { Caller } from '../../../operations/index.ts';
import { scoped } from '../scoped-caller.ts';
import { everyHook, hookNames, line, withHooks, type HookRoom } from './hooks-fixture.ts';

const his = { agentId: 'bob', project: '/w/bob', at: '2026-03-01T11:59:00.000Z' };
const main = { ...his, harness: 'claude-code', sessionKey: 'bobs-main', idempotencyKey: 'k1' };

/** A session with all that a hook may tell of one: a sub-agent in it, a child of a key of its own, an answer that waits. */
async function settle(room: HookRoom): Promise<void> {
  const { sessionKey } = main;
  const transcript = line('user', 'Zqbob asks') + line('assistant', 'Zqbob is answered');
  await room.ask('hookSessionStart', { ...main, title: 'Zqbob title' }, room.over('plugin'));
  await room.report(sessionKey, transcript, { ...his, extra: 'Zqbob extra' });
  await room.ask('hookCompactionComplete', { ...main, summary: 'Zqbob summary' });
  for (const childSessionKey of [undefined, 'bobs-child']) {
    await room.ask('hookSubagentStart', {
      ...{ ...main, harnessAgentId: 'bobs-a1', idempotencyKey: `of ${childSessionKey}` },
      ...{ prompt: 'Zqbob prompt', title: 'Zqbob sub-agent' },
      ...(childSessionKey !== undefined && { childSessionKey }),
    });
  }
  await room.prompt('agent:bob:main', 'Zqbob says', his);
  for (const parentSessionId of [sessionKey, 'bobs-child']) {
    const asked = { parentSessionId, agentId: 'bob', prompt: 'Zqbob task' };
    const { id } = await room.start({ ...asked, executionMode: 'ASYNC_CALLBACK' });
    await room.host.play(id, 'Zqbob answer');
  }
}

const hisKeys = ['bobs-main', 'session:bobs-main', 'bobs-child', 'bobs-main:bobs-a1'];
const namesOfAll = [...hisKeys, 'agent:bob:main', 'agent:bob:main:subagent:u1', 'bobs-a1'];

/** Each way to name what is his, in a hook that is else of the own session. */
const ways = [
  ...namesOfAll.map((sessionKey) => ({ sessionKey })),
  ...namesOfAll.map((sessionId) => ({ sessionKey: undefined, sessionId })),
  ...namesOfAll.map((sessionId) => ({ sessionId })),
  ...namesOfAll.map((parentSessionKey) => ({ parentSessionKey })),
  ...namesOfAll.map((parentID) => ({ parentID })),
  ...namesOfAll.map((childSessionKey) => ({ childSessionKey, harnessAgentId: 'a1' })),
  ...namesOfAll.map((harnessAgentId) => ({ harnessAgentId })),
  ...namesOfAll.map((parentHarnessAgentId) => ({ parentHarnessAgentId, harnessAgentId: 'a1' })),
  { sessionKey: 'bobs-main', harnessAgentId: 'bobs-a1' },
  { sessionKey: 'bobs-main', harnessAgentId: 'a1', parentHarnessAgentId: 'bobs-a1' },
  { sessionKey: 'bobs-main', harnessAgentId: 'bobs-a1', childSessionKey: 'bobs-child' },
];
/** What may come with it: under his name, as his hook that comes again, in his project, over another path. */
const more = [
  {},
  { agentId: 'bob' },
  { idempotencyKey: 'k1', at: his.at },
  { runtimePath: 'legacy' },
  { harness: 'openclaw' },
  { harness: 'copilot' },
];

const callers: [string, (room: HookRoom) => Promise<Caller>][] = [
  ["another agent's token", async () => scoped('alice')],
  ["a token for his project, of another agent's", async () => scoped('alice', his)],
  [
    "a token of another agent's sub-agent",
    async (room) => {
      const { id } = await room.start({ agentId: 'alice' });
      await room.host.claim(id);
      return room.child(id);
    },
  ],
];

test.each(callers)(
  '%s hears nothing of his and changes nothing of it, by any hook and field',
  (_, callerIn) =>
    withHooks(async (room) => {
      await settle(room);
      const me = await callerIn(room);
      const before = rowsOfHis(room);
      for (const name of hookNames) {
        const told = ways.flatMap((way, n) =>
          more.map((rest) => {
            const own = { ...everyHook[name], sessionKey: `own ${n}`, project: his.project };
            return answerTo(room.ask(name, { ...own, ...way, ...rest } as never, me));
          }),
        );
        const leaks = (await Promise.all(told)).filter((answer) => answer.includes('Zqbob'));
        expect({ name, leaks }).toEqual({ name, leaks: [] });
        expect({ name, rows: rowsOfHis(room) }).toEqual({ name, rows: before });
      }
    }),
);

test('by the same hooks his own token hears of it, and adds to it', () =>
  withHooks(async (room) => {
    await settle(room);
    const telling: string[] = [];
    for (const name of hookNames) {
      const before = rowsOfHis(room);
      const hook = { ...everyHook[name], sessionKey: 'bobs-main', userMessage: 'more' };
      const below = { ...hook, sessionKey: `below of ${name}`, parentSessionKey: 'bobs-main' };
      const told = [hook, below].map((asked) =>
        answerTo(room.ask(name, { ...asked, project: his.project } as never, scoped('bob'))),
      );
      if ((await Promise.all(told)).join().includes('Zqbob')) telling.push(name);
      expect(rowsOfHis(room)).not.toEqual(before);
    }
    expect(telling).toEqual([
      'hookSessionStart',
      'hookUserPromptSubmit',
      'hookSubagentStart',
      'hookStop',
    ]);
  }));

/** The last one is by what itself has reported under the same key. */
const refusals = ['forbidden', 'bad_request', 'idempotency_mismatch'];

/** What a hook was answered or refused with: of both nothing may be read that is his. */
const answerTo = async (asked: Promise<unknown>): Promise<string> => {
  try {
    return JSON.stringify(await asked);
  } catch (error) {
    const { code, message, hint } = error as Record<string, unknown>;
    // Nor is it told that somebody reports the session over another path.
    expect(refusals).toContain(code);
    return JSON.stringify([message, hint]);
  }
};

/** All that is kept of his sessions and of him, and what hangs on them, by table. */
function rowsOfHis({ store: { db } }: HookRoom): Record<string, string[]> {
  const ids = db
    .all<{ id: number }>("SELECT id FROM sessions WHERE agent_id = 'bob'")
    .map(({ id }) => id);
  const columnsOf = db.all<{ name: string; columns: string }>(
    `SELECT t.name, group_concat(c.name) AS columns FROM sqlite_schema t, pragma_table_info(t.name) c
     WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' GROUP BY t.name ORDER BY t.name`,
  );
  const rows = columnsOf.map(({ name, columns }) => {
    const has = columns.split(',');
    const pointing = has.filter((column) => /^(.+_)?session_id$/.test(column));
    const conditions = [
      ...pointing.map((column) => `${column} IN (${ids.join()})`),
      ...(has.includes('agent_id') ? ["agent_id = 'bob'"] : []),
      ...(name === 'agents' ? ["id = 'bob'"] : []),
    ];
    const found =
      conditions.length === 0
        ? []
        : db.all(`SELECT * FROM ${name} WHERE ${conditions.join(' OR ')}`);
    return [name, found.map((row) => JSON.stringify(row)).toSorted()] as const;
  });
  return Object.fromEntries(rows.filter(([, found]) => found.length > 0));
}
