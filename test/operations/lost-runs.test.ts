import { expect, test } from '@jest/globals';
import { createHost } from './test-host.ts';
import { withOperations, type Room } from './operations-fixture.ts';

/** An invocation that has asked for one child with a callback, and has ended its turn. */
async function waitingFor(
  room: Room,
  runnerId: string,
): Promise<{ parent: string; child: string }> {
  const { id: parent } = await room.start({ runnerId });
  const spec = await room.host.claim(parent);
  const asked = { executionMode: 'ASYNC_CALLBACK' } as const;
  const { id: child } = await room.start(asked, room.child(parent));
  await room.host.end(spec, 'I have asked');
  return { parent, child };
}

test('a lost run fails, because it may have had effects, and says what to do', async () => {
  await withOperations(async (room) => {
    const { id } = await room.start();
    await room.host.lose(await room.host.claim(id));
    expect(await room.get(id)).toMatchObject({
      status: 'failed',
      errorCode: 'outcome_unknown',
      errorHint: expect.stringContaining('onLost'),
    });
  });
});

test('a lost run of a runner that may be repeated runs again with the same task', async () => {
  await withOperations(async (room) => {
    const { id } = await room.start({ runnerId: 'again' });
    await room.host.lose(await room.host.claim(id));
    expect((await room.get(id)).status).toBe('waiting');
    const spec = await room.host.play(id, 'done');
    expect(spec).toMatchObject({ runNo: 2, turn: 1, prompt: 'do it' });
    expect((await room.get(id)).status).toBe('completed');
    expect((await room.turns(id)).filter((turn) => turn.role === 'user')).toHaveLength(1);
  });
});

test('a program that takes its host down each time is not started for ever', async () => {
  await withOperations(async (room) => {
    const { id } = await room.start({ runnerId: 'again' });
    for (let time = 0; time < 5; time += 1) await room.host.lose(await room.host.claim(id));
    expect(await room.get(id)).toMatchObject({ status: 'failed', errorCode: 'outcome_unknown' });
  });
});

test('a run for which no process was started is made again, whatever the runner says', async () => {
  await withOperations(async (room) => {
    const { id } = await room.start();
    await room.host.lose(await room.host.claim(id), false);
    await room.host.play(id, 'done');
    expect((await room.get(id)).status).toBe('completed');
  });
});

test('a new boot of a host loses the runs of the old one, and no others', async () => {
  await withOperations(async (room) => {
    const other = createHost(room.deps, 'other', 'boot-x');
    const { id: mine } = await room.start();
    const spec = await room.host.claim(mine);
    await room.host.sync([], true);
    await other.hello();
    const { id: theirs } = await room.start();
    await other.claim(theirs);

    const next = createHost(room.deps, 'local', 'boot-2');
    await next.hello();
    expect(await room.get(mine)).toMatchObject({
      status: 'failed',
      errorCode: 'outcome_unknown',
      error: expect.stringContaining('its runner host was restarted'),
    });
    expect((await room.get(theirs)).status).toBe('running');
    expect(await room.host.end(spec, 'too late')).toMatchObject({ held: false, status: 'failed' });
  });
});

test('callbacks that a lost run was handed are handed again, and stand in the transcript once', async () => {
  await withOperations(async (room) => {
    const { parent, child } = await waitingFor(room, 'again');
    await room.host.play(child, 'the answer');
    const second = await room.host.claim(parent);
    expect(second.prompt).toContain('the answer');
    const { sessionKey } = await room.get(parent);
    expect((await room.callbacks(sessionKey))[0]).toMatchObject({ state: 'handed' });
    await room.host.lose(second);
    expect((await room.callbacks(sessionKey))[0]).toMatchObject({ state: 'queued' });
    const third = await room.host.play(parent, 'the end');
    expect(third).toMatchObject({ prompt: second.prompt, turn: 2, runNo: 3 });
    expect((await room.callbacks(sessionKey))[0]).toMatchObject({ state: 'delivered' });
    const told = (await room.turns(parent)).filter((turn) => turn.role === 'callback');
    expect(told).toHaveLength(1);
    expect((await room.get(parent)).result?.content).toBe('the end');
  });
});

test('where a lost run is not repeated, its callbacks are kept for the session', async () => {
  await withOperations(async (room) => {
    const { parent, child } = await waitingFor(room, 'talk');
    await room.host.play(child, 'the answer');
    await room.host.lose(await room.host.claim(parent));
    const { sessionKey, status } = await room.get(parent);
    expect(status).toBe('failed');
    expect((await room.callbacks(sessionKey))[0]).toMatchObject({ state: 'undelivered' });

    const sent = await room.ask('sendToSubagent', { id: parent, prompt: 'go on' });
    expect((await room.host.play(sent.id, 'yes')).prompt).toBe('go on');
    expect((await room.get(sent.id)).status).toBe('waiting');
    expect((await room.host.play(sent.id, 'now I know')).prompt).toContain('the answer');
    expect((await room.get(sent.id)).status).toBe('completed');
    expect((await room.callbacks(sessionKey))[0]).toMatchObject({ state: 'delivered' });
  });
});

test('a host is told which of its runs do not hold any more, and which to stop', async () => {
  await withOperations(async (room) => {
    const held = await room.host.claim((await room.start()).id);
    const cancelled = await room.host.claim((await room.start()).id);
    const ended = await room.host.play((await room.start()).id, 'done');
    await room.ask('cancelSubagent', { id: cancelled.invocationId });
    const unknown = { invocationId: 'sub_unknown', runNo: 1 };
    const { stop } = await room.host.sync([held, cancelled, ended, unknown]);
    expect(stop.map((order) => [order.invocationId, order.reason])).toEqual([
      [cancelled.invocationId, 'cancelled'],
      [ended.invocationId, 'not_yours'],
      ['sub_unknown', 'not_yours'],
    ]);
  });
});
