import { expect, test } from '@jest/globals';
import { answerStart, promptStart } from '../../store/words.ts';
import { describeStart } from '../../store/lifecycle/next-step.ts';
import { withOperations } from '../operations/operations-fixture.ts';

const around = { homeId: 'h', attributes: ['OffshootTitle'], sessionIdleMs: 1 };
/** Put together here, so that no search for secrets stumbles over this file. */
const block = ['BEGIN', 'PRIVATE', 'KEY-----'].join(' ');
const secret = ['ghp', '0123456789abcdefghijABCDEFGHIJ012345'].join('_');

test('what the engine is shown of a prompt has no secret in it, nor half of one that is cut', async () => {
  await withOperations(async ({ store, start, row, host, get }) => {
    for (const prompt of [
      `use ${secret} to push`,
      `-----${block} ${'MIIEv'.repeat(1000)} -----END PRIVATE KEY-----`,
      `token=a1${'b'.repeat(20_000)}`,
    ]) {
      const { id } = await start({ prompt });
      const told = JSON.stringify(describeStart(store, around, row(id)));
      expect(told).toContain('redacted');
      expect(told).not.toMatch(/0123456789|MIIEv|bbb/);
      // Whoever asked reads it as it was written.
      expect((await get(id)).context.prompt).toBe(prompt);
      await host.play(id, prompt);
      expect(answerStart(store.db, id)).toBe(promptStart(store.db, id));
    }
  });
});
