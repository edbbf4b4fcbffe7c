/** What children are given of their parents' context, and what it is made of, as callers see it. */
import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { entityPartsSchema } from '../../contract/entities.ts';
import { hostHandlers } from '../../operations/index.ts';
import { appendTurn } from '../../store/turns.ts';
import { findSession } from '../../store/sessions.ts';
import { refusal, withOperations, type Room } from './operations-fixture.ts';

const say = (room: Room, key: string, role: 'user' | 'assistant', text: string) =>
  room.store.write((tx) => {
    const session = findSession(tx.db, 'default', key)!;
    appendTurn(tx, { sessionId: session.id, role, text });
  });

const sha256 = (text: string) => createHash('sha256').update(text, 'utf8').digest('hex');

test('a managed child is given what its parent knows at its first run, and the same in every later one', () =>
  withOperations(async (room) => {
    await room.ask('registerSession', { key: 'main', title: 'Release 1.4' });
    await say(room, 'main', 'user', 'we cut the release');
    const child = await room.start({ parentSessionId: 'main', runnerId: 'again' });
    await say(room, 'main', 'assistant', 'the tag is set');
    const first = await room.host.claim(child.id);
    expect(first.inheritedContext).toContain('Release 1.4 (main)\nRecent context:\n');
    expect(first.inheritedContext).toContain('  Assistant: the tag is set');
    await say(room, 'main', 'user', 'said later');
    await room.host.lose(first);
    const again = await room.host.claim(child.id);
    expect(again.inheritedContext).toBe(first.inheritedContext);
    await room.host.end(again, 'done');
    const sent = await room.ask('sendToSubagent', { id: child.id, prompt: 'more' });
    expect((await room.host.claim(sent.id)).inheritedContext).toBe(first.inheritedContext);
    const { inherited, offers } = await room.ask('getContext', { key: child.sessionKey });
    expect(inherited).toMatchObject({
      text: first.inheritedContext,
      hash: sha256(first.inheritedContext!),
      sources: { parentSessionId: 'main', turns: [{ fromSeq: 1, toSeq: 2 }], checkpoint: null },
    });
    expect(offers?.text).toContain('  User: do it');
    const grandchild = await room.start({}, room.child(sent.id));
    expect((await room.host.claim(grandchild.id)).inheritedContext).toContain('User: more');
  }));

test('a program that we run is told at its start what its invocation was given, once, and its own task never', () =>
  withOperations(async (room) => {
    await room.ask('registerSession', { key: 'main', title: 'Release 1.4' });
    await say(room, 'main', 'user', 'we cut the release');
    const child = await room.start({ parentSessionId: 'main', runnerId: 'again' });
    const run = await room.host.claim(child.id);
    await say(room, 'main', 'user', 'said later');
    const inside = room.child(child.id);
    const begin = async (sessionKey: string, more = {}, caller = inside) => {
      const hook = { harness: 'claude-code', sessionKey, ...more };
      return (await room.ask('hookSessionStart', hook, caller)).inject;
    };
    expect(await begin('p', { source: 'startup' })).toBe(run.inheritedContext);
    // Also where the program names the session that its environment has.
    expect(await begin('q', { parentSessionKey: child.sessionKey })).toBe(run.inheritedContext);
    const stub = '## Inherited from Parent Session\n\nAs told before (main).';
    expect(await begin('p', { source: 'resume' })).toBe(stub);
    expect(await begin('p', { source: 'resume' }, room.admin)).toBe(stub);
    expect(await begin('p', { source: 'clear' })).toBe(run.inheritedContext);
    const { inherited: given } = await room.ask('getContext', { key: child.sessionKey });
    const { inherited } = await room.ask('getContext', { key: 'p' });
    expect(inherited).toEqual({ ...given, givenAt: expect.any(String) });
    expect(room.count('inherited_contexts')).toBe(3);
    // Its sub-agents are told what itself has said, and who goes on from its invocation what that was asked.
    await say(room, 'p', 'user', 'look at the tag');
    const sub = { harness: 'claude-code', sessionKey: 'p', harnessAgentId: 'a1' };
    const { inject } = await room.ask('hookSubagentStart', sub, inside);
    expect(inject).toContain('User: look at the tag');
    const outside = await begin('r', { parentSessionKey: child.sessionKey }, room.admin);
    expect(outside).toContain('User: do it');
  }));

test('a program is told nothing where its invocation was given nothing, or inheriting is switched off meanwhile', () =>
  withOperations(async (room) => {
    const begin = async (sessionKey: string, id: string) =>
      (await room.ask('hookSessionStart', { harness: 'codex', sessionKey }, room.child(id))).inject;
    const root = await room.start();
    await room.host.claim(root.id);
    expect(await begin('p', root.id)).toBe('');
    await room.ask('registerSession', { key: 'main' });
    await say(room, 'main', 'user', 'hello');
    const child = await room.start({ parentSessionId: 'main' });
    expect((await room.host.claim(child.id)).inheritedContext).toContain('hello');
    room.deps.lastGoodConfig().memory.pipelineV2.subagents.inheritContext = false;
    expect(await begin('q', child.id)).toBe('');
  }));

test('what the start of a session was answered with is kept as it was, with its hash and when it was given', () =>
  withOperations(async (room) => {
    await room.ask('registerSession', { key: 'main' });
    await say(room, 'main', 'user', 'we cut the release “1.4” 🚀');
    const start = { harness: 'codex', sessionKey: 'c', parentSessionKey: 'main' };
    const before = room.store.now();
    const { inject } = await room.ask('hookSessionStart', start);
    const after = room.store.now();
    room.clock.advance(60_000);
    await say(room, 'main', 'user', 'said later');
    const { inherited, offers } = await room.ask('getContext', { key: 'c' });
    expect(inherited).toEqual({
      text: inject,
      hash: sha256(inject),
      sources: {
        parentSessionId: 'main',
        turns: [{ fromSeq: 1, toSeq: 1 }],
        checkpoint: null,
        entities: [],
        constraints: 0,
      },
      givenAt: expect.any(String),
    });
    const { givenAt } = inherited!;
    expect([before <= givenAt, givenAt <= after]).toEqual([true, true]);
    expect(offers).toBe(null);
    // Given anew, it is another one.
    await room.ask('hookSessionStart', { ...start, source: 'clear' });
    const again = (await room.ask('getContext', { key: 'c' })).inherited!;
    expect(again.text).toContain('said later');
    expect(again.hash).toBe(sha256(again.text));
    expect(Date.parse(again.givenAt) - Date.parse(givenAt)).toBeGreaterThanOrEqual(60_000);
    // That it knows this already is told in a line, and is not given again.
    room.clock.advance(60_000);
    await room.ask('hookSessionStart', { ...start, source: 'resume' });
    expect((await room.ask('getContext', { key: 'c' })).inherited).toEqual(again);
  }));

test('a sub-agent plants nothing that children in other trees are told', () =>
  withOperations(async (room) => {
    const attributes = [{ kind: 'constraint' as const, content: 'never on a Friday' }];
    const rule = { entity: 'release', aspects: [{ name: 'rules', attributes }] };
    const planted = { ...rule, aspects: [{ name: 'rules', attributes: [] }] };
    await room.ask('putEntity', rule);
    const stranger = room.child((await room.start()).id);
    expect(await refusal(room.ask('putEntity', planted, stranger))).toBe('forbidden');
    expect(await refusal(room.ask('deleteEntity', { entity: 'release' }, stranger))).toBe(
      'forbidden',
    );
    await room.ask('registerSession', { key: 'main' });
    await say(room, 'main', 'user', 'we cut the release');
    const child = await room.start({ parentSessionId: 'main' });
    const { inheritedContext } = await room.host.claim(child.id);
    expect(inheritedContext).toContain('- release: never on a Friday');
  }));

test('a root is given nothing, and nobody is where inheriting is switched off [signet 30]', async () => {
  await withOperations(async (room) => {
    expect((await room.host.claim((await room.start()).id)).inheritedContext).toBe(null);
  });
  await withOperations(
    async (room) => {
      await room.ask('registerSession', { key: 'main' });
      await say(room, 'main', 'user', 'hello');
      const child = await room.start({ parentSessionId: 'main' });
      expect((await room.host.claim(child.id)).inheritedContext).toBe(null);
      expect(await room.ask('getContext', { key: 'main' })).toMatchObject({
        inherited: null,
        offers: null,
      });
    },
    { subagents: { inheritContext: false } },
  );
});

test('a mistake in the configuration keeps no accepted work from being run', () =>
  withOperations(async (room) => {
    const { id } = await room.start();
    const broken = {
      ...room.deps,
      config: () => {
        throw new Error('a mistake in it');
      },
    };
    const answer = await hostHandlers.claim(broken, {
      ...{ hostId: room.host.id, bootId: room.host.boot, invocationId: id },
    });
    expect(answer.kind).toBe('run');
  }));

test('a checkpoint is a summary of the caller, or a digest, and none is made of nothing', () =>
  withOperations(async (room) => {
    await room.ask('registerSession', { key: 'main' });
    expect(await refusal(room.ask('writeCheckpoint', { key: 'main' }))).toBe('bad_request');
    await say(room, 'main', 'user', 'first things first');
    const made = await room.ask('writeCheckpoint', { key: 'main' });
    expect(made).toMatchObject({ seq: 1, trigger: 'explicit', sessionKey: 'main' });
    expect(made.digest).toContain('- first things first');
    await room.ask('writeCheckpoint', { key: 'main', summary: 'All is well.' });
    const { offers } = await room.ask('getContext', { key: 'main' });
    expect(offers?.text).toMatch(/Checkpoint:\n {2}All is well\.$/);
  }));

test('what is known of a thing is written in parts, read back, listed in pages and forgotten', () =>
  withOperations(async (room) => {
    const rule = { kind: 'constraint', content: 'no Fridays' } as const;
    await room.ask('putEntity', { entity: 'Payments', type: 'project', aliases: ['billing'] });
    const known = await room.ask('putEntity', {
      entity: 'payments',
      aspects: [{ name: 'deploys', attributes: [rule] }],
    });
    expect(known).toMatchObject({ name: 'payments', type: 'project', aliases: ['billing'] });
    expect(known.aspects).toEqual([
      {
        name: 'deploys',
        attributes: [{ ...rule, importance: 0.5, confidence: 1, status: 'active' }],
      },
    ]);
    await room.ask('putEntity', { entity: 'Payments', aspects: [] });
    expect((await room.ask('getEntity', { entity: 'PAYMENTS' })).aspects).toEqual([]);
    for (const entity of ['b', 'a']) await room.ask('putEntity', { entity });
    const first = await room.ask('listEntities', { limit: 2 });
    const second = await room.ask('listEntities', { limit: 2, cursor: first.nextCursor! });
    expect([...first.items, ...second.items].map(({ name }) => name)).toEqual([
      ...['a', 'b', 'Payments'],
    ]);
    expect(second.nextCursor).toBe(null);
    await room.ask('deleteEntity', { entity: 'Payments' });
    expect(await refusal(room.ask('getEntity', { entity: 'Payments' }))).toBe('not_found');
    expect(room.count('entity_aliases')).toBe(0);
  }));

test('a name is that of one thing, and has a word in it', () =>
  withOperations(async (room) => {
    await room.ask('putEntity', { entity: 'Payments', aliases: ['billing'] });
    await room.ask('putEntity', { entity: 'Payments', aliases: ['billing', 'payments'] });
    const asThing = room.ask('putEntity', { entity: 'Billing' });
    const asAlias = room.ask('putEntity', { entity: 'Other', aliases: ['payments'] });
    const wordless = room.ask('putEntity', { entity: '++' });
    expect([await refusal(asThing), await refusal(asAlias), await refusal(wordless)]).toEqual(
      Array(3).fill('bad_request'),
    );
    for (const alias of ['', ' \t']) {
      expect(entityPartsSchema.safeParse({ aliases: ['billing', alias] }).success).toBe(false);
    }
    for (const alias of ['++', '-']) {
      const blank = room.ask('putEntity', { entity: 'Payments', aliases: ['billing', alias] });
      expect([alias, await refusal(blank)]).toEqual([alias, 'bad_request']);
    }
    expect(room.count('entities')).toBe(1);
    expect((await room.ask('getEntity', { entity: 'Payments' })).aliases).toEqual(['billing']);
    await room.ask('putEntity', { entity: 'Billing', agentId: 'bob' });
    // Neither agent has what the other knows.
    expect(await refusal(room.ask('getEntity', { entity: 'Payments', agentId: 'bob' }))).toBe(
      'not_found',
    );
    const { items } = await room.ask('listEntities', { agentId: 'bob' });
    expect(items.map(({ name }) => name)).toEqual(['Billing']);
  }));

test('a context is asked for, and a checkpoint written, by a key with session: before it', () =>
  withOperations(async (room) => {
    await room.ask('registerSession', { key: 'main' });
    await say(room, 'main', 'user', 'hello');
    const made = await room.ask('writeCheckpoint', { key: 'session:main', summary: 'We met.' });
    expect(made.sessionKey).toBe('main');
    const asked = await room.ask('getContext', { key: 'session:main' });
    expect(asked).toEqual(await room.ask('getContext', { key: 'main' }));
    expect(asked.offers!.text).toContain('Checkpoint:\n  We met.');
  }));
