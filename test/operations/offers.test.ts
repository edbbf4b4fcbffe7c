/** Callbacks into sessions that an agent program runs: offered at its hooks until there is a sign. */
import { expect, test } from '@jest/globals';
import { offerCallbacks, settleOffers } from '../../store/offers.ts';
import { findSession } from '../../store/sessions.ts';
import { appendTurn } from '../../store/turns.ts';
import type { TurnRole } from '../../contract/words.ts';
import { withOperations, type Room } from './operations-fixture.ts';

interface Parent {
  room: Room;
  /** One more child that ends with this answer; its callback's id. */
  child(answer: string): Promise<string>;
  /** As a hook does. */
  offer(isTurnOver?: boolean): Promise<string[]>;
  say(role: TurnRole, text: string): Promise<unknown>;
  states(): Promise<string[]>;
}

const withParent = (use: (parent: Parent) => Promise<void>) =>
  withOperations(async (room) => {
    await room.ask('registerSession', { key: 'main', harness: 'claude-code' });
    const session = findSession(room.store.db, 'default', 'main')!;
    await use({
      room,
      async child(answer) {
        const { id } = await room.start({
          ...{ executionMode: 'ASYNC_CALLBACK', parentSessionId: 'main' },
        });
        await room.host.play(id, answer);
        return id.replace('sub_', 'cb_');
      },
      offer: (isTurnOver = false) =>
        room.store.write((tx) =>
          offerCallbacks(tx, session, { isTurnOver }).map(({ envelope }) => envelope),
        ),
      say: (role, text) =>
        room.store.write((tx) => appendTurn(tx, { sessionId: session.id, role, text })),
      states: async () => (await room.callbacks('main')).map(({ state }) => state),
    });
  });

test('callbacks are offered together, in the order in which the children ended, and only once they are there', () =>
  withParent(async ({ child, offer }) => {
    expect(await offer()).toEqual([]);
    const ids = [await child('first answer'), await child('second answer')];
    const offered = await offer();
    expect(offered.map((one) => /id="(cb_[^"]+)"/.exec(one)?.[1])).toEqual(ids);
    expect(offered[0]).toContain('first answer');
    expect(offered.join()).not.toContain('repeat=');
  }));

test('what was offered and shows no sign of being read is offered again, and says so', () =>
  withParent(async ({ child, offer, say, states }) => {
    await child('the answer');
    await offer();
    await say('user', 'a prompt that came with nothing else');
    const [again] = await offer();
    expect(again).toMatch(/^<agent-callback id="cb_[^"]+" repeat="true" /);
    expect(await states()).toEqual(['queued']);
  }));

test.each<[string, (parent: Parent, id: string) => Promise<unknown>]>([
  ['the model has answered', ({ say }) => say('assistant', 'I see')],
  ['its id stands in the transcript', ({ say }, id) => say('user', `context: <x id="${id}">`)],
])('what was offered is read once %s, and is one turn then', (_, sign) =>
  withParent(async (parent) => {
    const id = await parent.child('the answer');
    await parent.offer();
    await sign(parent, id);
    expect(await parent.offer()).toEqual([]);
    expect(await parent.states()).toEqual(['delivered']);
    await parent.offer(true);
    const turns = parent.room.store.db.all<{ text: string }>(
      `SELECT text FROM turns WHERE src = 'callback:' || :id`,
      { id },
    );
    expect(turns.map(({ text }) => text.includes('the answer'))).toEqual([true]);
  }),
);

test('the end of a turn settles what was offered in it, and what came since is offered now', () =>
  withParent(async ({ child, offer, states }) => {
    await child('early');
    await offer();
    await child('late');
    const offered = await offer(true);
    expect(offered).toHaveLength(1);
    expect(offered[0]).toContain('late');
    expect(await states()).toEqual(['delivered', 'queued']);
  }));

test('words that were said before the offer are no sign, and what was acknowledged is not offered', () =>
  withParent(async ({ room, child, offer, say, states }) => {
    const id = await child('the answer');
    await say('assistant', `waiting for ${id}`);
    await offer();
    const session = findSession(room.store.db, 'default', 'main')!;
    expect(await room.store.write((tx) => settleOffers(tx, session))).toEqual([]);
    await room.ask('ackCallbacks', { key: 'main', ids: [id] });
    expect(await offer()).toEqual([]);
    expect(await states()).toEqual(['delivered']);
  }));

test('a managed session is told by its next run, never by a hook', () =>
  withOperations(async (room) => {
    const parent = await room.start();
    const run = await room.host.claim(parent.id);
    const child = await room.start({ executionMode: 'ASYNC_CALLBACK' }, room.child(parent.id));
    await room.host.play(child.id, 'the answer');
    const session = findSession(room.store.db, 'default', parent.sessionKey)!;
    expect(await room.store.write((tx) => offerCallbacks(tx, session))).toEqual([]);
    await room.host.end(run, 'asked');
    expect((await room.host.claim(parent.id)).prompt).toContain('the answer');
  }));
