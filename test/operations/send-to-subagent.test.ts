import { expect, test } from '@jest/globals';
import { refusal, withOperations, type Room } from './operations-fixture.ts';

const admitted = (room: Room, ids: string[]) => ids.filter((id) => room.row(id).host_id !== null);

test('messages to one session run one after the other, in the order in which they came', async () => {
  await withOperations(async (room) => {
    const { id, sessionKey } = await room.start();
    const spec = await room.host.claim(id);
    const sent: string[] = [];
    for (const prompt of ['second', 'third', 'fourth']) {
      const record = await room.ask('sendToSubagent', { id, prompt });
      expect(record).toMatchObject({ sessionKey, status: 'pending', executionMode: 'ASYNC_POLL' });
      expect(record.pendingReason).toBe('waits for an earlier message on its session');
      sent.push(record.id);
    }
    expect(admitted(room, sent)).toEqual([]);
    await room.host.end(spec, 'first answer');
    for (const [index, prompt] of ['second', 'third', 'fourth'].entries()) {
      expect(admitted(room, sent)).toEqual([sent[index]]);
      const run = await room.host.play(sent[index]!, `answer ${prompt}`);
      expect(run).toMatchObject({ prompt, turn: index + 2, sessionKey });
    }
    expect(await room.get(id)).toMatchObject({ result: { content: 'first answer' } });
    const said = (await room.turns(id)).filter((turn) => turn.role === 'user');
    expect(said.map((turn) => turn.text)).toEqual(['do it', 'second', 'third', 'fourth']);
  });
});

test('a message that fails or is cancelled does not hold up those behind it', async () => {
  await withOperations(async (room) => {
    const { id } = await room.start();
    const two = await room.ask('sendToSubagent', { id, prompt: 'two' });
    const three = await room.ask('sendToSubagent', { id, prompt: 'three' });
    await room.ask('cancelSubagent', { id: two.id });
    await room.host.lose(await room.host.claim(id));
    expect(admitted(room, [three.id])).toEqual([three.id]);
  });
});

test('nothing can be sent to a session whose runner takes one turn only', async () => {
  await withOperations(async (room) => {
    const { id } = await room.start({ runnerId: 'once' });
    const send = room.ask('sendToSubagent', { id, prompt: 'more' });
    expect(await refusal(send)).toBe('runner_single_turn');
  });
});
