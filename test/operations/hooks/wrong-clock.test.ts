/** What a program says of the time orders nothing that comes after it where its clock is wrong. */
import { expect, test } from '@jest/globals';
import { withHooks } from './hooks-fixture.ts';

test.each(['9999-12-31T23:59:59Z', '0001-01-01T00:00:00Z'])(
  'a session that was told to have ended at %s has ended now, and goes on with its next prompt',
  (at) =>
    withHooks(async (room) => {
      await room.prompt('s1', 'one');
      await room.ask('hookSessionEnd', { harness: 'x', sessionKey: 's1', at });
      const { ended_at: endedAt, updated_at: updatedAt } = room.session('s1')!;
      expect(endedAt! <= updatedAt && endedAt! >= updatedAt.slice(0, 10)).toBe(true);
      const again = { harness: 'x', sessionKey: 's1', userMessage: 'two' };
      await room.ask('hookUserPromptSubmit', { ...again, at: new Date().toISOString() });
      expect(room.session('s1')!.ended_at).toBeNull();
      expect(room.said('s1')).toEqual(['user: one', 'user: two']);
    }),
);
