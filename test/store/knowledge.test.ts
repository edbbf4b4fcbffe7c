import { expect, test } from '@jest/globals';
import { entityPartsSchema } from '../../contract/entities.ts';
import { putEntity, removeEntity } from '../../store/entities.ts';
import type { Db } from '../../store/database.ts';
import { focalEntities } from '../../store/focal-entities.ts';
import { knowledgeOf } from '../../store/knowledge.ts';
import type { Tx } from '../../store/write-queue.ts';
import { withStore } from './store-fixture.ts';

const mentionedIn = (db: Db, agentId: string, texts: () => string[]) =>
  focalEntities(knowledgeOf(db, agentId), undefined, texts).map(({ id }) => id);

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
