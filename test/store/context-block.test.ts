import { expect, test } from '@jest/globals';
import { limits } from '../../contract/limits.ts';
import { everyWord } from '../../domain/mentions.ts';
import { countPrompt, lastCheckpoint } from '../../store/checkpoints.ts';
import { contextBlockFor, inherit, inheritedBy } from '../../store/context-block.ts';
import { entityRecord, findEntity, removeEntity } from '../../store/entities.ts';
import { knowledgeOf } from '../../store/knowledge.ts';
import { insertLineage } from '../../store/lineage.ts';
import { setRanges } from '../../store/reading-order.ts';
import { findSession, registerSession } from '../../store/sessions.ts';
import { config, constraint, withScene } from './context-scene.ts';

test.each(['default', 'alice'])(
  'all four parts are inherited in order, whatever the agent is called: %s [signet 27, 28]',
  (agentId) =>
    withScene(async ({ say, know, checkpoint, block }) => {
      await know('Juniper', { aspects: [constraint('never reboot it by day')] });
      await say('user', 'audit the Juniper switch');
      await checkpoint('compaction', 'We audit the juniper switch.');
      await say('user', 'go on');
      await say('assistant', 'port 3 is open');
      expect(block()).toBe(
        [
          '## Inherited from Parent Session',
          '',
          'active session (P)',
          'Checkpoint:',
          '  We audit the juniper switch.',
          'Recent context:',
          '  User: go on',
          '  Assistant: port 3 is open',
          'Focal entities: Juniper',
          'Active constraints:',
          '  - Juniper: never reboot it by day',
        ].join('\n'),
      );
    }, agentId),
);

test('a session in which nothing was said leaves nothing, and switched off there is nothing either [signet 29, 30]', () =>
  withScene(async ({ say, block, store, parent }) => {
    expect(block()).toBe(null);
    await say('mark', 'running');
    expect(block()).toBe(null);
    await say('user', 'hello');
    expect(block()).toContain('User: hello');
    expect(block({ inheritContext: false })).toBe(null);
    expect(findSession(store.db, 'alice', 'P')?.id).toBe(parent.id);
  }));

test('a constraint of what was only mentioned is told without any checkpoint [signet 31]', () =>
  withScene(async ({ say, know, block }) => {
    await know('Payments', {
      aliases: ['billing service'],
      aspects: [
        constraint('no deploys on Fridays', { importance: 0.2 }),
        { ...constraint('two reviewers', { importance: 0.9 }), name: 'reviews' },
        { ...constraint('an old rule', { status: 'archived' }), name: 'past' },
      ],
    });
    await know('Elsewhere', { aspects: [constraint('not about this')] });
    await say('user', 'look at the Billing-Service, please');
    expect(block()).toMatch(
      /Focal entities: Payments\nActive constraints:\n {2}- Payments: two reviewers\n {2}- Payments: no deploys on Fridays$/,
    );
  }));

test.each([
  ['kept in memory', 0],
  ['asked of the store, being too much to keep', 20_000],
])('of a thing its constraints are told, and not its attributes: %s', (_, others) =>
  withScene(async ({ store, parent, say, know, block }) => {
    await store.write((tx) =>
      tx.db.run(
        `INSERT INTO entities (agent_id, name, normalized, first_word, created_at, updated_at)
         WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < :others)
         SELECT 'alice', 'thing' || n, 'thing' || n, 'thing' || n, :now, :now FROM n WHERE :others > 0`,
        { others, now: tx.now },
      ),
    );
    const attribute = (content: string) => ({
      kind: 'attribute' as const,
      content,
      importance: 1,
    });
    await know('Juniper', {
      aspects: [
        { name: 'ports', attributes: [attribute('has 48 of them')] },
        {
          name: 'rules',
          attributes: [
            attribute('was bought in May'),
            { kind: 'constraint', content: 'by night only' },
          ],
        },
      ],
    });
    await say('user', 'audit the Juniper');
    expect(knowledgeOf(store.db, 'alice').firstWords === everyWord).toBe(others > 0);
    expect(block()).toMatch(/Active constraints:\n {2}- Juniper: by night only$/);
    expect(block()).not.toMatch(/48|May/);
    expect(contextBlockFor(store.db, config, parent)!.sources.constraints).toBe(1);
    // Whoever asks for the thing itself is told both.
    const { aspects } = entityRecord(store.db, findEntity(store.db, 'alice', 'Juniper')!);
    expect(aspects.flatMap(({ attributes }) => attributes.map(({ kind }) => kind))).toEqual([
      ...['attribute', 'attribute', 'constraint'],
    ]);
  }),
);

test('what was in focus at a checkpoint stays so, until it is archived or gone', () =>
  withScene(async ({ store, say, know, checkpoint, block }) => {
    const row = await know('Juniper', { aspects: [constraint('by night only')] });
    await say('user', 'first the Juniper', ...Array.from({ length: 12 }, (_, n) => `step ${n}`));
    await checkpoint();
    await say('user', 'and now something else');
    expect(block()).toContain('- Juniper: by night only');
    await know('Juniper', { status: 'archived' });
    expect(block()).not.toContain('Juniper:');
    await store.write((tx) => removeEntity(tx, row as never));
    expect(block()).not.toContain('Focal');
  }));

test('a constraint is told however long ago its entity was mentioned, over any number of checkpoints', () =>
  withScene(async ({ store, parent, say, know, checkpoint, block }) => {
    await know('Juniper', { aspects: [constraint('by night only')] });
    await say('assistant', 'Juniper is what I look at');
    for (let n = 0; n < 4; n += 1) {
      await say('user', `step ${n}`);
      await say('assistant', 'other things '.repeat(900));
    }
    for (const tailChars of [0, 3000]) expect(block({ tailChars })).toContain('Juniper: by night');
    await checkpoint();
    for (let n = 0; n < 35; n += 1) {
      await say('user', `step ${n} ${'other things '.repeat(40)}`);
      await store.write((tx) => countPrompt(tx, parent));
    }
    await checkpoint('compaction', 'A summary of other things.');
    expect(block()).toContain(
      'Focal entities: Juniper\nActive constraints:\n  - Juniper: by night',
    );
    // What is mentioned now stands before it, not in its place.
    await know('Otter', {});
    await say('user', 'and the Otter?');
    expect(block()).toContain('Focal entities: Otter, Juniper\nActive constraints:\n  - Juniper');
  }));

test('of constraints that are as important, those said last come first, and a title tells no secret', () =>
  withScene(async ({ store, parent, say, know, block }) => {
    await know('Zebra', { aspects: [constraint('said first')] });
    await new Promise((resolve) => setTimeout(resolve, 5));
    await know('Aardvark', { aspects: [constraint('said last')] });
    await say('user', 'Aardvark and Zebra');
    expect(block()).toMatch(/- Aardvark: said last\n {2}- Zebra: said first$/);
    const key = ['ghp', '_', 'a1B2'.repeat(9)].join('');
    const title = `Opens ${key}`;
    await store.write((tx) => tx.db.run('UPDATE sessions SET title = :title', { title }));
    const named = findSession(store.db, 'alice', parent.session_key)!;
    const { text } = contextBlockFor(store.db, config, named)!;
    expect(text).toContain('Opens [redacted ');
    expect(text).not.toContain(key);
  }));

test('the names of a block are those mentioned last; the constraints are of all that is focal', () =>
  withScene(async ({ store, parent, say, know, checkpoint, block }) => {
    await know('Juniper', { aspects: [constraint('by night only')] });
    await say('user', 'Juniper first');
    await checkpoint();
    for (let n = 0; n < 12; n += 1) await know(`host ${n}`, {});
    await say('user', Array.from({ length: 12 }, (_, n) => `host ${n}`).join(', '));
    expect(block()).toMatch(
      /Focal entities: host 11, .*, host 0\n.*\n {2}- Juniper: by night only$/,
    );
    for (let n = 0; n < limits.focalEntitiesMax; n += 1) await know(`disk ${n}`, {});
    await say(
      'user',
      Array.from({ length: limits.focalEntitiesMax }, (_, n) => `disk ${n}`).join(' '),
    );
    await checkpoint();
    expect(JSON.parse(lastCheckpoint(store.db, parent.id)!.focal_entity_ids)).toHaveLength(
      limits.focalEntitiesMax,
    );
  }));

test('the tail has only what was said since the last checkpoint, and no tools or marks [signet 32]', () =>
  withScene(async ({ say, checkpoint, block }) => {
    await say('user', 'before the checkpoint');
    await checkpoint('compaction', 'A summary.');
    await say('tool', 'a tool result');
    await say('stdout', 'raw output');
    await say('user', 'after it');
    expect(block()).toContain('Checkpoint:\n  A summary.\nRecent context:\n  User: after it');
    expect(block()).not.toMatch(/before|tool|raw/);
  }));

test('secrets are cut out of every part, and before anything is cut off [signet 34]', () =>
  withScene(async ({ say, know, checkpoint, block }) => {
    const key = ['AKIA', 'IOSFODNN7EXAMPLE'].join('');
    const pem = [
      ...['-----BEGIN ', 'PRIVATE KEY-----\n'],
      'MIIEpSECRETabcdefgh0123456789\n'.repeat(40),
      ...['-----END ', 'PRIVATE KEY-----'],
    ].join('');
    await know('Vault', { aspects: [constraint(`opens with ${key}`)] });
    await say('user', `the Vault in src/vault/open.ts at 3f786850e387550fdab836ed7e6dc881de23001b`);
    await checkpoint('compaction', `use ${key} for the Vault`);
    await say('user', `here: ${pem} and then some`, 'ok, the Vault');
    for (const tailChars of [200, 400, 800, 3000]) {
      const text = block({ tailChars })!;
      expect(text).not.toMatch(/AKIA|SECRET|BEGIN/);
      expect(text).toContain('opens with [redacted AWS key id]');
    }
  }));

test('a turn of megabytes is read by its ends, and a line of its middle is never shown [signet 33]', () =>
  withScene(async ({ say, block }) => {
    await say('user', `begin ${'x'.repeat(3_000_000)}`);
    expect(block()).toMatch(/^ {2}User: begin x+…$/m);
    await say('assistant', `${'line of text\n'.repeat(200_000)}the end`);
    const lines = block()!.split('\n').slice(4);
    expect(lines.at(-1)).toBe('  the end');
    expect(lines.slice(0, -1).every((line) => line === '  line of text')).toBe(true);
    expect(lines.length).toBeGreaterThan(190);
    // Where a line is read to its half alone, it says that it goes on.
    await say('user', `${'abcdef\n'.repeat(3400)}${'y'.repeat(60_000)}\nwith its end`);
    expect(block()).toMatch(/\n {2}abcdef\n {2}y+…\n {2}\[…\]\n {2}with its end$/);
  }));

test('what was said in a branch that was left is not inherited', () =>
  withScene(async ({ store, parent, say, block }) => {
    await say('user', 'one', 'two wrong', 'three wrong', 'two right');
    await store.write(({ db }) => {
      const add = (place: number, from: number, to: number | null) =>
        db.run(
          'INSERT INTO turn_order (session_id, place, from_seq, to_seq) VALUES (:id, :place, :from, :to)',
          { id: parent.id, place, from, to },
        );
      add(1, 1, 1);
      add(2, 4, null);
    });
    expect(block()).toContain('  User: one\n  User: two right');
    expect(block()).not.toContain('wrong');
  }));

test('what is told late stands where it was said: before a checkpoint it is not since it', () =>
  withScene(async ({ store, parent, say, know, checkpoint, block }) => {
    const order = (...ranges: [number, number | null][]) =>
      store.write((tx) => setRanges(tx, parent.id, ranges));
    const given = () => contextBlockFor(store.db, config, parent)!.sources.turns;
    await know('Juniper', { aspects: [constraint('by night only')] });
    await say('user', 'one', 'two');
    await checkpoint('compaction', 'A summary.');
    await say('assistant', 'of Juniper, to one');
    await order([1, 1], [3, 3], [2, 2], [4, null]);
    expect(block()).not.toContain('Recent context:');
    // What it is about is known all the same.
    expect(block()).toContain('- Juniper: by night only');
    await say('user', 'three');
    await say('assistant', 'four');
    expect(block()).toContain('Recent context:\n  User: three\n  Assistant: four\nFocal');
    expect(given()).toEqual([{ fromSeq: 4, toSeq: 5 }]);
    await say('tool', 'a result');
    await say('assistant', 'in between');
    await order([1, 1], [3, 3], [2, 2], [4, 4], [6, 7], [5, 5], [8, null]);
    expect(block()).toContain('  User: three\n  Assistant: in between\n  Assistant: four\n');
    expect(given()).toEqual([4, 7, 5].map((seq) => ({ fromSeq: seq, toSeq: seq })));
    // The next checkpoint knows all of it.
    await checkpoint('session_end');
    expect(block()).not.toContain('Recent context:');
    expect(given()).toEqual([]);
  }));

test('sources that were kept with one range of turns, or none, are read like the others', () =>
  withScene(async ({ store, parent, say }) => {
    await say('user', 'hello');
    const turnsOf = (kept: string) =>
      store.write((tx) => {
        const { text, hash, sources } = contextBlockFor(tx.db, config, parent)!;
        tx.db.run(
          `INSERT OR REPLACE INTO inherited_contexts
             (session_id, parent_session_id, given_at, hash, text, sources)
           VALUES (:id, :id, :now, :hash, :text, json_set(:sources, '$.turns', json(:kept)))`,
          { id: parent.id, now: tx.now, hash, text, sources: JSON.stringify(sources), kept },
        );
        return inheritedBy(tx.db, parent)!.sources.turns;
      });
    expect(await turnsOf('{"fromSeq":1,"toSeq":7}')).toEqual([{ fromSeq: 1, toSeq: 7 }]);
    expect(await turnsOf('null')).toEqual([]);
  }));

test('what a child was given is kept with it, and a parent of another agent gives nothing [signet 36]', () =>
  withScene(async ({ store, parent, say }) => {
    await say('user', 'hello');
    const seen = await store.write((tx) => {
      const make = (sessionKey: string, agentId: string) => {
        const child = registerSession(tx, {
          ...{ agentId, sessionKey, harness: null, project: null, title: null },
        });
        insertLineage(tx, child, parent, 'explicit');
        return {
          given: inherit(tx, config, child, { mayRead: () => true }),
          kept: inheritedBy(tx.db, child),
        };
      };
      return { own: make('C', 'alice'), foreign: make('C', 'bob') };
    });
    const { isRepeat, ...given } = seen.own.given!;
    expect(isRepeat).toBe(false);
    expect(seen.own.kept).toMatchObject({
      ...given,
      sources: { parentSessionId: 'P', turns: [{ fromSeq: 1, toSeq: 1 }], checkpoint: null },
    });
    expect(seen.foreign).toEqual({ given: null, kept: null });
  }));
