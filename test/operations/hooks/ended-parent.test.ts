/** A program that has ended takes nothing with it of what its sub-agents have answered. */
import { expect, test } from '@jest/globals';
import { line, withHooks, type HookRoom } from './hooks-fixture.ts';

const hook = { harness: 'claude-code', sessionKey: 'main' };

async function child(room: HookRoom) {
  const asked = { executionMode: 'ASYNC_CALLBACK', parentSessionId: 'main' } as const;
  const { id } = await room.start(asked);
  const callback = id.replace('sub_', 'cb_');
  return { callback, end: (answer: string) => room.host.play(id, answer) };
}
const open = async (room: HookRoom) =>
  (await room.ask('getCallbacks', { key: 'main' })).callbacks.map(({ id, state, envelope }) => ({
    ...{ id, state },
    says: envelope.includes('the answer'),
  }));

test.each([
  ['waited for its next hook', false],
  ['came when it had ended', true],
])('a callback that %s stays, can be read, and is offered when the session goes on', (_, isLater) =>
  withHooks(async (room) => {
    await room.prompt('main', 'begin');
    const { callback, end } = await child(room);
    if (!isLater) await end('the answer');
    expect(await room.ask('hookSessionEnd', { ...hook, reason: 'exit' })).toMatchObject({
      queued: false,
    });
    if (isLater) await end('the answer');
    expect(await open(room)).toEqual([{ id: callback, state: 'queued', says: true }]);
    await room.ask('hookSessionStart', { ...hook, source: 'resume' });
    expect((await room.prompt('main', 'back again')).inject).toContain('the answer');
    await room.ask('hookStop', { ...hook, idempotencyKey: 'k1' });
    expect(await open(room)).toEqual([]);
  }),
);

test('one that was offered and shows no sign stays when the program ends; one whose id its transcript has is read', () =>
  withHooks(async (room) => {
    await room.prompt('main', 'begin');
    const [first, second] = [await child(room), await child(room)];
    for (const { end } of [first, second]) await end('the answer');
    expect((await room.prompt('main', 'go on')).inject).toContain(second.callback);
    // It failed before it had answered: no stop comes.
    const told = { attachment: { content: [`<agent-callback id="${first.callback}">`] } };
    const transcript =
      line('user', 'begin') + `${JSON.stringify({ type: 'attachment', ...told })}\n`;
    await room.ask('hookSessionEnd', { ...hook, transcript, reason: 'other' });
    expect(await open(room)).toEqual([{ id: second.callback, state: 'queued', says: true }]);
    await room.ask('ackCallbacks', { key: 'main', ids: [second.callback] });
    expect(await open(room)).toEqual([]);
  }));
