import { expect, test } from '@jest/globals';
import { entityPartsSchema } from '../../contract/entities.ts';
import { everyWord } from '../../domain/mentions.ts';
import { putEntity, removeEntity } from '../../store/entities.ts';
import type { Db } from '../../store/database.ts';
import { focalEntities } from '../../store/focal-entities.ts';
import { knowledgeOf } from '../../store/knowledge.ts';
import type { Tx } from '../../store/write-queue.ts';
import { withStore } from './store-fixture.ts';

const mentionedIn = (db: Db, agentId: string, texts: () => string[]) =>
  focalEntities(knowledgeOf(db, agentId), undefined, () => numbered(texts())).map(({ id }) => id);

const numbered = (texts: string[]) => texts.map((text, number) => ({ number, text }));

const put = (tx: Tx, name: string, aliases: string[] = []) =>
  putEntity(tx, 'alice', name, entityPartsSchema.parse({ aliases }));

test('a name is known from the moment it is given, also where one that was given before was taken back', () =>
  withStore(async ({ store }) => {
    const names = (text: string) => mentionedIn(store.db, 'alice', () => [text]);
    expect(names('ask Juniper')).toEqual([]);
    const juniper = await store.write((tx) => put(tx, 'Juniper'));
    expect(names('ask Juniper')).toEqual([juniper.id]);
    await expect(
      store.write((tx) => {
        put(tx, 'Payments');
        // Looked up while it is there, and then it is not.
        expect(mentionedIn(tx.db, 'alice', () => ['payments'])).toHaveLength(1);
        throw new Error('taken back');
      }),
    ).rejects.toThrow('taken back');
    expect(names('payments')).toEqual([]);
    await store.write((tx) => put(tx, 'Juniper', ['the big switch']));
    expect(names('reboot the big switch')).toEqual([juniper.id]);
    const payments = await store.write((tx) => put(tx, 'Payments'));
    expect(names('the big switch, then payments')).toEqual([payments.id, juniper.id]);
    await store.write((tx) => removeEntity(tx, juniper));
    const again = await store.write((tx) => put(tx, 'Juniper'));
    expect(names('juniper')).toEqual([again.id]);
  }));

test('more names than are kept in memory are found all the same', () =>
  withStore(async ({ store }) => {
    const last = await store.write((tx) => {
      put(tx, 'name 0 of many');
      tx.db.run(
        `INSERT INTO entities (agent_id, name, normalized, first_word, created_at, updated_at)
         WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 20000)
         SELECT 'alice', 'thing' || n, 'thing' || n, 'thing' || n, :now, :now FROM n`,
        { now: tx.now },
      );
      return put(tx, 'last of all', ['omega']);
    });
    const found = mentionedIn(store.db, 'alice', () => ['first thing7, and then omega']);
    expect(found).toHaveLength(2);
    expect(found[0]).toBe(last.id);
  }));

test('more text than is kept in memory is told all the same, and read only of what was chosen', () =>
  withStore(async ({ store }) => {
    const constraint = (content: string) => ({ kind: 'constraint' as const, content });
    const [few, many] = await store.write((tx) => [
      putEntity(
        tx,
        'alice',
        'Juniper',
        entityPartsSchema.parse({
          aspects: [{ name: 'use', attributes: [constraint('never at noon')] }],
        }),
      ),
      putEntity(
        tx,
        'alice',
        'Payments',
        entityPartsSchema.parse({
          aspects: [{ name: 'use', attributes: [constraint('only by two')] }],
        }),
      ),
    ]);
    const asked: string[] = [];
    const db: Db = {
      ...store.db,
      all: (sql, params) => {
        asked.push(sql);
        return store.db.all(sql, params);
      },
    };
    const ids = [few!.id, many!.id];
    expect(knowledgeOf(db, 'alice').firstWords).not.toBe(everyWord);
    const known = knowledgeOf(db, 'alice');
    const said = ['- Juniper: never at noon', '- Payments: only by two'];
    expect(known.constraintsOf(known.things(ids)).toSorted()).toEqual(said);
    // Looked through once, for as long as nothing changes.
    asked.length = 0;
    expect(known.constraintsOf(knowledgeOf(db, 'alice').things(ids.slice(0, 1)))).toEqual([
      said[0],
    ]);
    expect(asked).toEqual([]);

    await store.write((tx) => {
      tx.db.run(
        `INSERT INTO entity_attributes (agent_id, aspect_id, kind, content, importance, confidence, created_at, updated_at)
         WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 2200)
         SELECT 'alice', (SELECT id FROM entity_aspects WHERE entity_id = :id), 'constraint',
                replace(hex(zeroblob(1000)), '0', 'x'), 0.5, 1, :now, :now FROM n`,
        { id: many!.id, now: tx.now },
      );
      put(tx, 'another');
    });
    asked.length = 0;
    const knowledge = knowledgeOf(db, 'alice');
    expect(knowledge.firstWords).toBe(everyWord);
    const focal = focalEntities(knowledge, undefined, () => numbered(['payments, then juniper']));
    expect(focal.map(({ name }) => name)).toEqual(['Juniper', 'Payments']);
    expect(asked.filter((sql) => sql.includes('entity_attributes'))).toEqual([]);
    expect(knowledge.constraintsOf(focal.slice(0, 1))).toEqual(said.slice(0, 1));
    expect(asked.filter((sql) => sql.includes('entity_attributes'))).toHaveLength(1);
  }));
