import { expect, test } from '@jest/globals';
import type { OperationInput } from '../../contract/operations.ts';
import { appendTurn } from '../../store/turns.ts';
import type { TurnRole } from '../../contract/words.ts';
import { callerAs, refusal, withOperations, type Room } from './operations-fixture.ts';
import { tell } from './tell.ts';

const found = async (room: Room, input: OperationInput<'searchSessions'>) =>
  (await room.ask('searchSessions', input)).hits.map(({ sessionKey, excerpt }) => [
    sessionKey,
    excerpt,
  ]);

test('a hit says which turn it is, whose, when and where its words stand [signet 49]', () =>
  withOperations(async (room) => {
    const text = 'keep the Juniper EX4300 VLAN audit focused on trunk ports';
    await tell(room, 'agent:nicholai:main', [['mark', 'began'], 'hello', text], {
      agentId: 'nicholai',
      project: '/workspace/repo',
    });
    const answer = await room.ask('searchSessions', {
      query: 'Juniper trunk ports',
      agentId: 'nicholai',
      project: '/workspace/repo',
      limit: 5,
    });
    expect(answer).toEqual({
      query: 'Juniper trunk ports',
      hits: [
        {
          sessionKey: 'agent:nicholai:main',
          project: '/workspace/repo',
          updatedAt: expect.any(String),
          excerpt: text,
          rank: expect.any(Number),
          seq: 3,
          place: 3,
          turn: 2,
          role: 'user',
          at: expect.any(String),
          offsets: [
            { start: 9, end: 16 },
            { start: 46, end: 51 },
            { start: 52, end: 57 },
          ],
        },
      ],
      count: 1,
    });
    expect(answer.hits[0]!.rank).toBeLessThan(0);
  }));

test('the better a hit the lower its rank, and hits come in that order', () =>
  withOperations(async (room) => {
    const hay = ['hay', 'more hay', 'and hay'];
    const best = 'a heron by the sluice gate';
    await tell(room, 'one', [best, ...hay, 'the heron and the sluice', ...hay, 'one heron']);
    await tell(room, 'two', ['one heron']);
    await tell(room, 'three', ['hay', 'the gate was open, and a heron came']);
    const ranked = async (groupBy: 'turn' | 'session') => {
      const query = 'heron sluice gate';
      const { hits } = await room.ask('searchSessions', { query, groupBy });
      const ranks = hits.map(({ rank }) => rank);
      expect(ranks).toEqual([...new Set(ranks)].toSorted((a, b) => a - b));
      return hits.map(({ sessionKey, turn }) => `${sessionKey} ${turn}`);
    };
    // The same words are worth more where more is said of them.
    expect(await ranked('turn')).toEqual(['one 1', 'one 5', 'three 2', 'one 9', 'two 1']);
    expect(await ranked('session')).toEqual(['one 1', 'three 2', 'two 1']);
  }));

test.each([
  [0, 1],
  [99, 20],
  [-3, 1],
  [undefined, 10],
  [7, 7],
])('limit %j gives %i hits [signet 41]', (limit, count) =>
  withOperations(async (room) => {
    await tell(
      room,
      'one',
      Array.from({ length: 30 }, (_, n) => `needle ${n}`),
    );
    const input = { query: 'needle', ...(limit !== undefined && { limit }) };
    expect((await room.ask('searchSessions', input)).count).toBe(count);
  }),
);

test.each(['current', 'session:current'])(
  'the session that asks is left out: %s [signet 43]',
  (key) =>
    withOperations(async (room) => {
      await tell(room, 'current', ['my needle']);
      await tell(room, 'other', ['their needle']);
      expect(await found(room, { query: 'needle', currentSessionKey: key })).toEqual([
        ['other', 'their needle'],
      ]);
      const asker = callerAs({ claims: { role: 'admin' }, parentSessionId: 'current' });
      const { hits } = await room.ask('searchSessions', { query: 'needle' }, asker);
      expect(hits.map((hit) => hit.sessionKey)).toEqual(['other']);
      // Asked for by name, it is searched all the same.
      const named = { query: 'needle', currentSessionKey: key, sessionKey: key };
      expect(await found(room, named)).toEqual([['current', 'my needle']]);
    }),
);

test.each(['agent:a:subagent:u', 'session:agent:a:subagent:u'])(
  'a child whose key says so searches its parent, reported or not: %s [signet 44]',
  (currentSessionKey) =>
    withOperations(async (room) => {
      await tell(room, 'agent:a:main', ['the needle of the parent'], { agentId: 'a' });
      await tell(room, 'another', ['a needle elsewhere'], { agentId: 'a' });
      const wanted = [['agent:a:main', 'the needle of the parent']];
      expect(await found(room, { query: 'needle', currentSessionKey })).toEqual(wanted);
      await tell(room, 'agent:a:subagent:u', ['the needle of the child'], { agentId: 'a' });
      expect(await found(room, { query: 'needle', currentSessionKey })).toEqual(wanted);
    }),
);

test('a nested child searches the child above it, not the main session [signet 44]', () =>
  withOperations(async (room) => {
    await tell(room, 'agent:a:main', ['main needle'], { agentId: 'a' });
    await tell(room, 'agent:a:subagent:u1', ['upper needle'], { agentId: 'a' });
    const currentSessionKey = 'agent:a:subagent:u1:subagent:u2';
    expect(await found(room, { query: 'needle', currentSessionKey })).toEqual([
      ['agent:a:subagent:u1', 'upper needle'],
    ]);
  }));

test('any child that names itself searches its recorded parent [signet 45]', () =>
  withOperations(async (room) => {
    await tell(room, 'parent', ['the needle of the parent']);
    await tell(room, 'other', ['another needle']);
    await tell(room, 'child', ['the needle of the child'], { parent: 'parent' });
    const wanted = [['parent', 'the needle of the parent']];
    expect(await found(room, { query: 'needle', currentSessionKey: 'child' })).toEqual(wanted);
    const asker = callerAs({ claims: { role: 'admin' }, parentSessionId: 'child' });
    const byHeader = await room.ask('searchSessions', { query: 'needle' }, asker);
    expect(byHeader.hits.map((hit) => hit.sessionKey)).toEqual(['parent']);
  }));

test('a child that we run searches its parent by its token alone, and nothing beside it [signet 45]', () =>
  withOperations(async (room) => {
    await tell(room, 'asker', ['the needle of the asker']);
    await tell(room, 'other', ['another needle']);
    const { id } = await room.start({ parentSessionId: 'asker', prompt: 'find the needle' });
    const child = room.child(id);
    const own = room.row(id);
    await room.store.write((tx) =>
      appendTurn(tx, { sessionId: own.session_id, role: 'assistant', text: 'my own needle' }),
    );
    const ask = async (input: Omit<OperationInput<'searchSessions'>, 'query'>) => {
      const { hits } = await room.ask('searchSessions', { query: 'needle', ...input }, child);
      return hits.map((hit) => hit.sessionKey);
    };
    expect(await ask({})).toEqual(['asker']);
    expect(await ask({ sessionKey: 'other' })).toEqual([]);
    expect(await ask({ rootSessionKey: 'other' })).toEqual([]);
    expect(await ask({ currentSessionKey: 'other' })).toEqual(['asker']);
    expect(await ask({ sessionKey: own.session_key })).toEqual([own.session_key]);
    const foreign = room.ask('searchSessions', { query: 'needle', agentId: 'bob' }, child);
    expect(await refusal(foreign)).toBe('forbidden');
  }));

test('the key of another agent finds nothing, and the same key under two agents is two sessions [signet 50]', () =>
  withOperations(async (room) => {
    for (const agentId of ['alice', 'bob']) {
      await tell(room, 'same', [`needle of ${agentId}`], { agentId, project: `/of/${agentId}` });
      await tell(room, `only-${agentId}`, [`lone needle of ${agentId}`], { agentId });
    }
    const query = 'needle';
    expect(await found(room, { query, agentId: 'alice', sessionKey: 'same' })).toEqual([
      ['same', 'needle of alice'],
    ]);
    expect(await found(room, { query, agentId: 'alice', sessionKey: 'only-bob' })).toEqual([]);
    expect(await found(room, { query, agentId: 'alice', rootSessionKey: 'only-bob' })).toEqual([]);
    expect(await found(room, { query, agentId: 'alice', project: '/of/bob' })).toEqual([]);
    expect(await found(room, { query, agentId: 'bob', project: '/of/bob' })).toEqual([
      ['same', 'needle of bob'],
    ]);
    expect(await found(room, { query, sessionKey: 'only-bob' })).toEqual([
      ['only-bob', 'lone needle of bob'],
    ]);
    // Nobody says whose: then it must be asked.
    const call = room.ask('searchSessions', { query, sessionKey: 'same' });
    expect(await refusal(call)).toBe('parent_conflict');
    expect(await found(room, { query })).toEqual([]);
  }));

test('of several agents that have a key the one that it names is searched', () =>
  withOperations(async (room) => {
    const sessionKey = 'agent:bob:main';
    for (const agentId of ['alice', 'bob']) {
      await tell(room, sessionKey, [`needle of ${agentId}`], { agentId });
    }
    const query = 'needle';
    expect(await found(room, { query, sessionKey })).toEqual([[sessionKey, 'needle of bob']]);
    const nobody = 'agent:carol:main';
    for (const agentId of ['alice', 'bob']) await tell(room, nobody, ['needle'], { agentId });
    const call = room.ask('searchSessions', { query, sessionKey: nobody });
    expect(await refusal(call)).toBe('parent_conflict');
  }));

test('a project is its folder with all below it, for whoever names it and for a token that has no other', () =>
  withOperations(async (room) => {
    const agentId = 'alice';
    const folders = {
      site: '/code/site',
      web: '/code/site/web',
      sites: '/code/sites',
      code: '/code',
    };
    for (const [key, project] of Object.entries(folders)) {
      await tell(room, key, [`needle of ${key}`], { agentId, project });
    }
    await tell(room, 'deep', ['needle of bob'], { agentId: 'bob', project: '/code/site/web/deep' });
    await tell(room, 'nowhere', ['needle'], { agentId });
    const token = callerAs({
      claims: {
        ...{ role: 'agent', agentId, project: '/code/site', permissions: ['recall'] },
        expiresAt: '2999-01-01T00:00:00.000Z',
      },
    });
    const keys = async (input: object, caller = room.admin) => {
      const { hits } = await room.ask('searchSessions', { query: 'needle', ...input }, caller);
      return hits.map(({ sessionKey }) => sessionKey).toSorted();
    };
    const mine = ['site', 'web'];
    expect(await keys({ agentId, project: '/code/site' })).toEqual(mine);
    expect(await keys({ agentId, project: '/code' })).toEqual(['code', 'site', 'sites', 'web']);
    expect(await keys({ agentId, project: '/' })).toEqual(['code', 'site', 'sites', 'web']);
    expect(await keys({}, token)).toEqual(mine);
    expect(await keys({ sessionKey: 'web' }, token)).toEqual(['web']);
    expect(await keys({ project: '/code/site/web' }, token)).toEqual(['web']);
    expect(await keys({ sessionKey: 'sites' }, token)).toEqual([]);
    expect(await refusal(keys({ project: '/code/sites' }, token))).toBe('forbidden');
  }));

test('a policy opens no transcripts', () =>
  withOperations(async (room) => {
    await tell(room, 'one', ['needle of alice'], { agentId: 'alice' });
    await room.store.write((tx) => tx.db.run(`UPDATE agents SET read_policy = 'shared'`));
    expect(await found(room, { query: 'needle', agentId: 'bob' })).toEqual([]);
  }));

test('a tree is searched by its root, and a part of it by the session that it begins with', () =>
  withOperations(async (room) => {
    await tell(room, 'root', ['needle 1']);
    await tell(room, 'middle', ['needle 2'], { parent: 'root' });
    await tell(room, 'leaf', ['needle 3'], { parent: 'middle' });
    await tell(room, 'other', ['needle 4']);
    const keys = async (rootSessionKey: string, currentSessionKey?: string) => {
      const current = currentSessionKey === undefined ? {} : { currentSessionKey };
      const hits = await found(room, { query: 'needle', rootSessionKey, ...current });
      return hits.map(([key]) => key).toSorted();
    };
    expect(await keys('root')).toEqual(['leaf', 'middle', 'root']);
    expect(await keys('middle')).toEqual(['leaf', 'middle']);
    expect(await keys('root', 'leaf')).toEqual(['middle', 'root']);
    expect(await keys('nobody')).toEqual([]);
  }));

test('an excerpt tells no secret, and says where the words stand in what it tells', () =>
  withOperations(async (room) => {
    const key = ['ghp', '_', 'a1B2'.repeat(9)].join('');
    await tell(room, 'one', [`the token ${key} opens the sluice`]);
    const { hits } = await room.ask('searchSessions', { query: 'sluice' });
    const { excerpt, offsets } = hits[0]!;
    expect(excerpt).toMatch(/^the token \[redacted [^\]]+\] opens the sluice$/);
    expect(offsets.map(({ start, end }) => excerpt.slice(start, end))).toEqual(['sluice']);
  }));

test('of marks only a summary is found, the best of a session, behind the turn that says the same', () =>
  withOperations(async (room) => {
    const summary = (text: string): [TurnRole, string] => ['mark', `compacted: ${text}`];
    await tell(room, 'one', [
      ['mark', 'started: heron'],
      'the heron nests by the sluice',
      summary('the heron nests by the sluice'),
      ['assistant', 'so it is'],
      summary('a heron was seen, and an otter'),
    ]);
    const about = async (query: string) =>
      (await room.ask('searchSessions', { query })).hits.map(({ role, turn }) => [role, turn]);
    expect(await about('heron sluice')).toEqual([
      ['user', 1],
      ['mark', 1],
    ]);
    expect(await about('otter')).toEqual([['mark', 2]]);
    expect(await about('started')).toEqual([]);
  }));

test('grouped by session, each session has its best turn', () =>
  withOperations(async (room) => {
    await tell(room, 'one', [
      'needle',
      'a needle in a long text about very many other things',
      'hay',
    ]);
    await tell(room, 'two', ['needle']);
    const hits = await found(room, { query: 'needle', groupBy: 'session' });
    expect(hits.toSorted()).toEqual([
      ['one', 'needle'],
      ['two', 'needle'],
    ]);
  }));

test('what is deleted is not found any more', () =>
  withOperations(async (room) => {
    await tell(room, 'one', ['needle']);
    await tell(room, 'two', ['needle too']);
    expect(await found(room, { query: 'needle' })).toHaveLength(2);
    await room.ask('deleteSession', { key: 'two' });
    expect(await found(room, { query: 'needle' })).toEqual([['one', 'needle']]);
    // Its ids are given again.
    await tell(room, 'three', ['hay', 'needle again']);
    expect(await found(room, { query: 'too' })).toEqual([]);
    expect(await found(room, { query: 'again' })).toEqual([['three', 'needle again']]);
  }));
