/** Tokens for one agent: what they let through, and that nothing of another agent or project is found. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { watchSession } from '../../operations/index.ts';
import { findSession } from '../../store/sessions.ts';
import { appendTurn } from '../../store/turns.ts';
import { everyHook, hookNames, withHooks } from './hooks/hooks-fixture.ts';
import { refusal, withOperations, type Room } from './operations-fixture.ts';
import { scoped } from './scoped-caller.ts';

const agents = ['alice', 'bob'];
const harnesses = ['claude-code', 'codex'];
const policies = ['isolated', 'shared', 'group'] as const;

/** One session for each agent, harness and project; each says a word of its own, and has a child. */
async function settle(
  room: Room,
): Promise<{ key: string; agentId: string; project: string; id: string }[]> {
  const made = [];
  for (const agentId of agents) {
    await room.ask('putEntity', { entity: `secret of ${agentId}`, agentId });
    for (const harness of harnesses) {
      for (const part of ['one', 'two', 'three']) {
        const project = `${room.workspace}/${part}`;
        const key = `${agentId} ${harness} ${part}`;
        await room.ask('registerSession', { key, agentId, harness, project });
        await room.store.write((tx) => {
          const session = findSession(tx.db, agentId, key)!;
          appendTurn(tx, { sessionId: session.id, role: 'user', text: `word of ${key}` });
        });
        const { id } = await room.start({
          ...{ parentSessionId: key, agentId, context: { workspacePath: room.workspace } },
        });
        made.push({ key, agentId, project, id });
      }
    }
  }
  return made;
}

function follow(room: Room, me: ReturnType<typeof scoped>, key: string): Promise<unknown> {
  return watchSession(room.deps, me, { key, after: 0 })[Symbol.asyncIterator]().next();
}

test.each(policies)(
  'no read path finds anything of another agent, under any policy: %s',
  (readPolicy) =>
    withOperations(async (room) => {
      const made = await settle(room);
      for (const id of agents) await room.ask('putAgent', { id, readPolicy, policyGroup: 'same' });
      for (const agentId of agents) {
        const me = scoped(agentId);
        const other = agents.find((one) => one !== agentId)!;
        const found: unknown[] = [
          await room.ask('listSessions', { limit: 500 }, me),
          await room.ask('listSubagents', { limit: 500 }, me),
          await room.ask('listEntities', {}, me),
        ];
        expect(JSON.stringify(found)).toContain(agentId);
        expect(JSON.stringify(found)).not.toContain(other);
        for (const { key, id } of made.filter((one) => one.agentId === other)) {
          const codes = [
            await refusal(room.ask('getSession', { key }, me)),
            await refusal(room.ask('getTree', { key }, me)),
            await refusal(room.ask('getContext', { key }, me)),
            await refusal(room.ask('getCallbacks', { key }, me)),
            await refusal(room.ask('getSubagent', { id }, me)),
            await refusal(room.ask('getTranscript', { id }, me)),
            await refusal(room.ask('waitSubagents', { ids: [id], waitSeconds: 0 }, me)),
            await refusal(room.ask('getEntity', { entity: `secret of ${other}` }, me)),
            await refusal(room.ask('getSessionTranscript', { key }, me)),
            await refusal(room.ask('exportSession', { key }, me)),
            await refusal(follow(room, me, key)),
          ];
          expect(codes).toEqual(Array(11).fill('not_found'));
          const named = [
            await refusal(room.ask('getSession', { key, agentId: other }, me)),
            await refusal(room.ask('listSessions', { agentId: other }, me)),
            await refusal(room.ask('listSubagents', { agentId: other }, me)),
            await refusal(room.ask('getAgent', { id: other }, me)),
            await refusal(room.ask('registerSession', { key: 'x', agentId: other }, me)),
            await refusal(room.ask('getSessionTranscript', { key, agentId: other }, me)),
            await refusal(room.ask('exportSession', { key, agentId: other }, me)),
          ];
          expect(named).toEqual(Array(7).fill('forbidden'));
          expect(await refusal(room.start({ parentSessionId: key }, me))).toBe('unknown_parent');
        }
      }
    }),
);

test('a token for a project finds what is in it, and nothing of the others', () =>
  withOperations(async (room) => {
    const made = await settle(room);
    const project = `${room.workspace}/two`;
    const me = scoped('alice', { project });
    const { sessions } = await room.ask('listSessions', { limit: 500 }, me);
    expect(sessions.map(({ key }) => key).toSorted()).toEqual([
      'alice claude-code two',
      'alice codex two',
    ]);
    for (const { key, agentId, project: where } of made) {
      const isMine = agentId === 'alice' && where === project;
      for (const name of ['getSession', 'getSessionTranscript', 'exportSession'] as const) {
        const code = await refusal(room.ask(name, { key }, me));
        expect([key, name, code]).toEqual([key, name, isMine ? 'not refused' : 'not_found']);
      }
    }
    const outside = room.ask('listSessions', { project: `${room.workspace}/twofold` }, me);
    expect(await refusal(outside)).toBe('forbidden');
    expect(await refusal(room.start({}, me))).toBe('forbidden');
  }));

test('a token for a project starts nothing outside of it, neither by dots nor through a link', () =>
  withOperations(async (room) => {
    const project = `${room.workspace}/mine`;
    const [inside, other] = [`${project}/in`, `${room.workspace}/other`];
    for (const folder of [inside, other]) mkdirSync(folder, { recursive: true });
    symlinkSync(other, `${project}/link`);
    symlinkSync(inside, `${project}/short`);
    const me = scoped('alice', { project });
    const start = (workspacePath: string) =>
      refusal(room.start({ context: { workspacePath } }, me));
    for (const path of [other, `${project}/../other`, `${inside}/../../other`, `${project}/link`]) {
      expect([path, await start(path)]).toEqual([path, 'forbidden']);
    }
    for (const path of [project, `${inside}/..`, `${project}/short`]) {
      expect([path, await start(path)]).toEqual([path, 'not refused']);
    }
    const register = (where: string) =>
      refusal(room.ask('registerSession', { key: where, project: where }, me));
    expect(await register(`${project}/../other`)).toBe('forbidden');
  }));

test('reading needs recall, writing remember, deleting an operator, and the home an administrator', () =>
  withOperations(async (room) => {
    await room.ask('registerSession', { key: 'a', agentId: 'alice' });
    const readonly = scoped('alice', { role: 'readonly', permissions: ['recall'] });
    const writer = scoped('alice', { permissions: ['remember'] });
    const ask = (caller: typeof readonly) =>
      Promise.all([
        refusal(room.ask('getSession', { key: 'a' }, caller)),
        refusal(room.ask('bypassSession', { key: 'a', enabled: false }, caller)),
        refusal(room.ask('deleteSession', { key: 'a', agentId: 'none' }, caller)),
        refusal(room.ask('checkStore', {}, caller)),
      ]);
    expect(await ask(readonly)).toEqual(['not refused', ...Array(3).fill('forbidden')]);
    expect(await ask(writer)).toEqual(['forbidden', 'not refused', 'forbidden', 'forbidden']);
    const operator = scoped('alice', { role: 'operator' });
    expect(await refusal(room.ask('deleteSession', { key: 'a' }, operator))).toBe('not refused');
    // Whose token it takes, by whichever operation: not what is said to a sub-agent.
    for (const asked of [
      room.ask('checkStore', {}, operator),
      room.ask('putAgent', { id: 'alice', name: 'x' }, operator),
    ]) {
      const hint = "It needs the administrator's token.";
      await expect(asked).rejects.toMatchObject({ code: 'forbidden', hint });
    }
  }));

test("a search needs recall, and finds only what is of the token's agent and project", () =>
  withOperations(async (room) => {
    await settle(room);
    const search = (me: ReturnType<typeof scoped>, more: object = {}) =>
      room.ask('searchSessions', { query: 'word', limit: 50, ...more }, me);
    expect(await refusal(search(scoped('alice', { permissions: ['remember'] })))).toBe('forbidden');
    const me = scoped('alice', { role: 'readonly', permissions: ['recall'] });
    const { hits } = await search(me);
    expect(hits.map(({ sessionKey }) => sessionKey.split(' ')[0])).toEqual(Array(6).fill('alice'));
    expect(await refusal(search(me, { agentId: 'bob' }))).toBe('forbidden');
    const within = scoped('alice', { project: `${room.workspace}/two` });
    expect((await search(within)).count).toBe(2);
    expect((await search(within, { sessionKey: 'alice codex one' })).count).toBe(0);
  }));

test('a token that is made has the permissions of its role, or fewer', () =>
  withOperations(async (room) => {
    const made = await room.ask('createToken', { role: 'readonly', agentId: 'alice' });
    expect(made).toMatchObject({ permissions: ['recall'], project: null, agentId: 'alice' });
    const beyond = { role: 'readonly', agentId: 'alice', permissions: ['remember'] } as const;
    expect(await refusal(room.ask('createToken', { ...beyond, permissions: ['remember'] }))).toBe(
      'bad_request',
    );
    const own = room.ask('createToken', { role: 'agent', agentId: 'bob' }, scoped('alice'));
    expect(await refusal(own)).toBe('forbidden');
  }));

test('a token that may only read is refused by every writing hook, and nothing is kept [signet 62]', () =>
  withHooks(async (room) => {
    const reader = scoped('default', { role: 'readonly', permissions: ['recall'] });
    for (const name of hookNames) {
      expect([name, await refusal(room.ask(name, everyHook[name] as never, reader))]).toEqual([
        name,
        'forbidden',
      ]);
    }
    expect([room.count('sessions'), room.count('turns')]).toEqual([0, 0]);
    const writer = scoped('default', { permissions: ['remember'] });
    for (const name of hookNames) await room.ask(name, everyHook[name] as never, writer);
    expect(room.said('s1')).toEqual(['user: hello']);
  }));

test('a token for a project takes no session into it that has none', () =>
  withHooks(async (room) => {
    await room.prompt('s1', 'said elsewhere');
    const me = scoped('default', { project: room.workspace });
    const given = { key: 's1', project: room.workspace };
    expect(await refusal(room.ask('registerSession', given, me))).toBe('forbidden');
    expect(room.session('s1')!.project).toBeNull();
    expect(await refusal(room.ask('getSessionTranscript', { key: 's1' }, me))).toBe('not_found');
  }));
