import { expect, test } from '@jest/globals';
import { asRead } from '../../../domain/as-read.ts';
import { withHooks } from './hooks-fixture.ts';

test.each(['hookUserPromptSubmit', 'hookStop'] as const)(
  'a callback is dated by its offer at %s, and so it is read before the answer to it',
  (offer) =>
    withHooks(async (room) => {
      const hook = { harness: 'codex', sessionKey: 'main' };
      const tell = (name: 'hookUserPromptSubmit' | 'hookStop', more: object) => {
        room.clock.advance(1_000);
        return room.ask(name, { ...hook, ...more });
      };
      await tell('hookUserPromptSubmit', { userMessage: 'ask them' });
      await tell('hookStop', { lastAssistantMessage: 'They were asked.' });
      const { id } = await room.start({
        executionMode: 'ASYNC_CALLBACK',
        parentSessionId: 'main',
      });
      await room.host.play(id, 'blue');
      const said = { userMessage: 'And?', lastAssistantMessage: 'They were asked.' };
      expect((await tell(offer, said)).inject).toContain('blue');
      const offeredAt = room.store.now();
      const over = { lastAssistantMessage: 'It is blue.', idempotencyKey: 'over' };
      await tell('hookStop', over);
      await tell('hookUserPromptSubmit', { userMessage: 'Thanks.' });

      const { turns } = await room.ask('getSessionTranscript', { key: 'main', format: 'turns' });
      expect(turns!.find(({ role }) => role === 'callback')?.at.slice(0, 19)).toBe(
        offeredAt.slice(0, 19),
      );
      const read: string[] = [];
      for await (const { role, text } of asRead(
        (async function* () {
          yield turns!;
        })(),
      )) {
        read.push(role === 'callback' ? 'callback' : text);
      }
      expect(read.slice(-4)).toEqual([
        offer === 'hookStop' ? 'They were asked.' : 'And?',
        'callback',
        'It is blue.',
        'Thanks.',
      ]);
    }),
);
