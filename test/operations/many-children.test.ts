import { expect, test } from '@jest/globals';
import { searchAttributes } from '../../contract/names.ts';
import { limits } from '../../contract/limits.ts';
import { nameOfStart } from '../../domain/name-of-start.ts';
import { nextSessionStep } from '../../store/lifecycle/next-step.ts';
import { withOperations, type Room } from './operations-fixture.ts';

const attributes = Object.values(searchAttributes);
const around = { homeId: 'h', attributes, sessionIdleMs: 1000 };

/** As many children of one session as it may have open, each with the longest names. */
async function startMany(room: Room, count: number): Promise<string[]> {
  await room.ask('registerSession', { key: '漢'.repeat(160) });
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const title = '漢'.repeat(limits.titleCharsMax);
    const context = { specId: '漢'.repeat(160) };
    ids.push((await room.start({ parentSessionId: '漢'.repeat(160), title, context })).id);
  }
  return ids;
}

test('many children are named page by page, none longer than a workflow task bears, all in order and once', async () => {
  await withOperations(
    async (room) => {
      const ids = await startMany(room, 250);
      const named: string[][] = [];
      const started: string[] = [];
      let hasMore: boolean | undefined = true;
      while (hasMore) {
        const page = await room.store.write((tx) =>
          nextSessionStep(tx, around, 'default', '漢'.repeat(160), started),
        );
        expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(300_000);
        named.push(page.children.map(({ invocationId }) => invocationId));
        started.push(...page.children.map(nameOfStart));
        hasMore = page.hasMore;
      }
      expect(named.length).toBeGreaterThan(3);
      expect(named.flat()).toEqual(ids);
    },
    { limits: { maxChildren: limits.openChildrenMax } },
  );
});

test('a child whose names alone are more than a page is named all the same', async () => {
  await withOperations(async (room) => {
    const ids = await startMany(room, 2);
    room.store.db.run('UPDATE subagent_sessions SET spec_id = :long', {
      long: 'x'.repeat(300_000),
    });
    const page = await room.store.write((tx) =>
      nextSessionStep(tx, around, 'default', '漢'.repeat(160)),
    );
    expect(page).toMatchObject({ children: [{ invocationId: ids[0] }], hasMore: true });
  });
});
