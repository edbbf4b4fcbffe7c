import { expect, test } from '@jest/globals';
import { watchSubagent, type Watched } from '../../operations/index.ts';
import { limits } from '../../contract/limits.ts';
import { nextStep } from '../../store/lifecycle/next-step.ts';
import { withOperations, type Room } from './operations-fixture.ts';
import { failed } from './test-host.ts';

async function follow(
  room: Room,
  id: string,
  after = 0,
  gone = new AbortController().signal,
): Promise<Watched[]> {
  const seen: Watched[] = [];
  const caller = { ...room.admin, gone };
  for await (const one of watchSubagent(room.deps, caller, { id, after })) seen.push(one);
  return seen;
}

const texts = (seen: Watched[]) =>
  seen.map((one) => (one.event === 'turn' ? one.data.text : `end ${one.data.status}`));

test('turns come as they are said, each once and in order, and nothing after the end', async () => {
  await withOperations(async (room) => {
    const { id } = await room.start();
    const early = follow(room, id);
    const run = await room.host.claim(id);
    const late = follow(room, id);
    for (let n = 1; n <= 300; n += 1) void room.host.say(run, n, `line ${n}`);
    await room.host.end(run, 'done');
    const expected = [
      'do it',
      'running',
      ...Array.from({ length: 300 }, (_, index) => `line ${index + 1}`),
      'done',
      'completed',
      'end completed',
    ];
    expect(texts(await early)).toEqual(expected);
    expect(texts(await late)).toEqual(expected);
    expect(texts(await follow(room, id))).toEqual(expected);
    expect(expected.length).toBeGreaterThan(limits.transcriptPageDefault);
  });
});

test('those who follow one agent are told the same turns and the same ending, read once', async () => {
  await withOperations(async (room) => {
    const { id } = await room.start();
    await room.host.play(id, 'the answer');
    const [one, other] = [await follow(room, id), await follow(room, id)];
    expect(one.map(({ data }) => data)).toEqual(other.map(({ data }) => data));
    for (const [index, { data }] of one.entries()) expect(other[index]!.data).toBe(data);
  });
});

test('what an agent ends with is told without secrets wherever it is told; the store keeps its words [signet 34]', async () => {
  await withOperations(async (room) => {
    const secret = `ghp_${'0123456789abcdefghij'.repeat(2)}`;
    const told = { executionMode: 'ASYNC_CALLBACK', parentSessionId: 'main' } as const;
    await room.ask('registerSession', { key: 'main' });
    const { id } = await room.start(told);
    await room.host.play(id, failed(`failed: ${secret}`, { content: `it is ${secret}` }));
    const sync = room.ask('runSubagent', { runnerId: 'talk', prompt: 'do it' });
    const list = async () => (await room.ask('listSubagents', {})).items;
    while ((await list()).length < 2) await new Promise(setImmediate);
    const last = (await list())[0]!.id;
    await room.host.play(last, `it is ${secret}`);
    const seen = (await follow(room, id)).at(-1);
    const answers = [
      await room.get(id),
      await sync,
      await room.ask('listSubagents', {}),
      await room.ask('waitSubagents', { ids: [id] }),
      await room.ask('getTree', { key: 'main' }),
      await room.ask('getCallbacks', { key: 'main' }),
      seen,
      await room.store.write((tx) =>
        nextStep(tx, { homeId: 'h', attributes: [], sessionIdleMs: 0 }, id),
      ),
    ].map((one) => JSON.stringify(one));
    for (const answer of answers) {
      expect(answer).toContain('[redacted GitHub token]');
      expect(answer).not.toContain(secret);
    }
    expect(room.words(id).result_content).toBe(`it is ${secret}`);
    expect(JSON.stringify(await room.turns(last))).toContain(secret);
  });
});

test.each([
  ['one that goes on for long', 800, 1],
  ['some that are much shorter when they are cut out', 2500, 20],
])('the result of a workflow shows no half of a secret: %s', async (_, length, count) => {
  await withOperations(async (room) => {
    const { id } = await room.start();
    const token = `eyJ${'Q'.repeat(40)}.${'Q'.repeat(length)}.${'Q'.repeat(40)}`;
    await room.host.play(id, `it is ${`${token} `.repeat(count)}\nand no more`);
    const around = { homeId: 'h', attributes: [], sessionIdleMs: 0 };
    const next = await room.store.write((tx) => nextStep(tx, around, id));
    const answer = next.step === 'done' ? next.ending.answer : null;
    expect(answer).toMatch(/^it is \[redacted token\]/);
    expect(answer).not.toContain('QQ');
  });
});

test('who comes back with the last number gets what came since, without a gap or a repeat', async () => {
  await withOperations(async (room) => {
    const run = await room.host.claim((await room.start()).id);
    await room.host.say(run, 1, 'one');
    await room.host.say(run, 2, 'two');
    const gone = new AbortController();
    const first = follow(room, run.invocationId, 0, gone.signal);
    await room.store.write(() => {});
    gone.abort();
    const seen = await first;
    await room.host.say(run, 3, 'three');
    await room.host.end(run, 'done');
    const rest = await follow(room, run.invocationId, seen.at(-1)!.id);
    const turns = [...seen, ...rest].filter((one) => one.event === 'turn').map((one) => one.id);
    expect(turns).toEqual(Array.from({ length: turns.length }, (_, index) => index + 1));
    expect(texts(rest).slice(-2)).toEqual(['completed', 'end completed']);
  });
});

test('only the turns of the invocation asked for are told, not those of its whole session', async () => {
  await withOperations(async (room) => {
    const { id } = await room.start();
    await room.host.play(id, 'first');
    const sent = await room.ask('sendToSubagent', { id, prompt: 'more' });
    await room.host.play(sent.id, 'second');
    expect(texts(await follow(room, sent.id))).toEqual([
      'more',
      'running',
      'second',
      'completed',
      'end completed',
    ]);
  });
});

test('a follower who leaves takes nothing with it, and is not listened for any more', async () => {
  await withOperations(async (room) => {
    const gone = new AbortController();
    const { id } = await room.start();
    const following = follow(room, id, 0, gone.signal);
    await room.store.write(() => {});
    gone.abort();
    expect(await following).toEqual([]);
    await room.host.play(id, 'done');
    expect((await room.get(id)).status).toBe('completed');
  });
});
