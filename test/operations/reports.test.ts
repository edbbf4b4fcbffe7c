import { expect, test } from '@jest/globals';
import { settle } from '../../store/lifecycle/settle.ts';
import { createHost, failed, LAST, succeeded } from './test-host.ts';
import { refusal, withOperations, type Room } from './operations-fixture.ts';

const marks = async (room: Room, id: string) =>
  (await room.turns(id)).filter((turn) => turn.role === 'mark').map((turn) => turn.text);

test('an invocation is pending, then running, then completed, and says how long it took', async () => {
  await withOperations(async (room) => {
    const { id, status } = await room.start();
    expect(status).toBe('pending');
    const spec = await room.host.claim(id);
    expect(await room.get(id)).toMatchObject({ status: 'running', result: null });
    room.clock.advance(1500);
    await room.host.end(spec, succeeded('blue', { tokenUsage: { input: 3, output: 4 } }));
    const record = await room.get(id);
    expect(record).toMatchObject({
      status: 'completed',
      error: null,
      errorCode: null,
      pendingReason: null,
      result: { content: 'blue', tokenUsage: { input: 3, output: 4 } },
    });
    expect(record.result!.durationMs).toBeGreaterThanOrEqual(1500);
    expect(record.completedAt! >= record.startedAt!).toBe(true);
    expect(record.startedAt! >= record.createdAt).toBe(true);
    expect(await marks(room, id)).toEqual(['running', 'completed']);
  });
});

test('a program that is done and leaves with a code of its own has it told', async () => {
  await withOperations(async (room) => {
    const { id } = await room.start();
    await room.host.end(await room.host.claim(id), succeeded('blue', { exitCode: 3 }));
    expect(await marks(room, id)).toEqual(['running', 'completed, exited with code 3']);
  });
});

test('a failure has error, code and hint, and keeps what the agent had said so far', async () => {
  await withOperations(async (room) => {
    const { id } = await room.start();
    const outcome = failed('exit 3: no such file', {
      content: 'half an answer',
      errorHint: 'Look.',
    });
    await room.host.play(id, outcome);
    expect(await room.get(id)).toMatchObject({
      status: 'failed',
      error: 'exit 3: no such file',
      errorCode: 'exit_nonzero',
      errorHint: 'Look.',
      result: { content: 'half an answer', durationMs: expect.any(Number) },
    });
  });
});

test('a run that took too long is timed_out', async () => {
  await withOperations(async (room) => {
    const { id } = await room.start();
    await room.host.play(id, { ...failed('30 min'), kind: 'timed_out', errorCode: 'turn_timeout' });
    expect(await room.get(id)).toMatchObject({ status: 'timed_out', errorCode: 'turn_timeout' });
  });
});

test('the first final state wins: a late answer after a cancel is kept, marked, and changes nothing', async () => {
  await withOperations(async (room) => {
    const { id } = await room.start();
    const spec = await room.host.claim(id);
    room.clock.advance(60_000);
    // Its host is silent, so the cancel cannot wait for it.
    await room.ask('cancelSubagent', { id });
    const ended = await room.get(id);
    expect(ended.status).toBe('cancelled');
    const answer = await room.host.end(spec, 'but I was done');
    expect(answer).toEqual({ held: false, status: 'cancelled' });
    // That its process is over is known now.
    expect(await room.get(id)).toEqual({ ...ended, errorHint: null });
    const late = (await room.turns(id)).filter((turn) => turn.late);
    expect(late.map((turn) => turn.text)).toEqual(['late outcome (succeeded): but I was done']);
    expect((await marks(room, id)).filter((text) => text.startsWith('cancelled'))).toHaveLength(1);
  });
});

test('whoever tries to end what has ended is told so, and changes nothing', async () => {
  await withOperations(async (room) => {
    await room.ask('registerSession', { key: 'main' });
    const asked = { parentSessionId: 'main', executionMode: 'ASYNC_CALLBACK' } as const;
    const { id } = await room.start(asked);
    await room.host.play(id, 'done');
    const before = [await room.get(id), await room.turns(id), await room.callbacks('main')];
    const again = { status: 'failed', error: 'no', errorCode: null, errorHint: null } as const;
    expect(await room.store.write((tx) => settle(tx, id, again))).toBe(false);
    expect([await room.get(id), await room.turns(id), await room.callbacks('main')]).toEqual(
      before,
    );
  });
});

test('output that comes after the end is kept and marked late', async () => {
  await withOperations(async (room) => {
    const { id } = await room.start();
    const spec = await room.host.claim(id);
    await room.host.say(spec, 1, 'in time');
    room.clock.advance(60_000);
    await room.ask('cancelSubagent', { id });
    await room.host.say(spec, 2, 'too late');
    const said = (await room.turns(id)).filter((turn) => turn.role === 'stdout');
    expect(said.map((turn) => [turn.text, turn.late])).toEqual([
      ['in time', false],
      ['too late', true],
    ]);
  });
});

test('a report that comes twice adds nothing, whether it is output, an ending or a loss', async () => {
  await withOperations(async (room) => {
    await room.ask('registerSession', { key: 'main' });
    const asked = { parentSessionId: 'main', executionMode: 'ASYNC_CALLBACK' } as const;
    const endings: ((id: string) => Promise<void>)[] = [
      async (id) => {
        const spec = await room.host.claim(id);
        for (let time = 0; time < 3; time += 1) await room.host.say(spec, 1, 'a line');
        for (let time = 0; time < 3; time += 1) await room.host.end(spec, 'done');
      },
      async (id) => {
        const spec = await room.host.claim(id);
        for (let time = 0; time < 3; time += 1) await room.host.end(spec, failed('broken'));
      },
      async (id) => {
        const spec = await room.host.claim(id);
        for (let time = 0; time < 3; time += 1) await room.host.lose(spec);
      },
      async (id) => {
        const spec = await room.host.claim(id);
        await room.ask('cancelSubagent', { id });
        for (let time = 0; time < 3; time += 1) await room.host.end(spec, 'stopped');
      },
    ];
    const told: string[][] = [];
    for (const play of endings) {
      const { id } = await room.start(asked);
      await play(id);
      told.push((await room.turns(id)).map((turn) => turn.text));
    }
    expect(told).toEqual([
      ['do it', 'running', 'a line', 'done', 'completed'],
      ['do it', 'running', 'failed: broken'],
      ['do it', 'running', expect.stringMatching(/^run 1 lost/), expect.stringMatching(/^failed/)],
      ['do it', 'running', 'stopped', 'cancelled: cancelled on request'],
    ]);
    expect(await room.callbacks('main')).toHaveLength(4);
  });
});

test('a repeated ending does not end the run that came after it', async () => {
  await withOperations(async (room) => {
    const { id } = await room.start({ runnerId: 'again' });
    const first = await room.host.claim(id);
    await room.host.lose(first);
    const second = await room.host.claim(id);
    expect(second.runNo).toBe(2);
    expect(await room.host.end(first, 'old')).toMatchObject({ held: false, status: 'running' });
    expect(await room.host.lose(first)).toMatchObject({ held: false, status: 'running' });
    expect(await room.host.end(second, 'new')).toMatchObject({ status: 'completed' });
    expect((await room.get(id)).result?.content).toBe('new');
  });
});

test('a claim is for one boot of one host: others get nothing, the same is told to attach', async () => {
  await withOperations(async (room) => {
    const { id } = await room.start();
    const spec = await room.host.claim(id);
    expect(await room.host.tryClaim(id)).toEqual({ kind: 'attach', runNo: spec.runNo });
    const other = createHost(room.deps, 'other', 'boot-x');
    await other.hello();
    expect(await other.tryClaim(id)).toEqual({ kind: 'nothing', status: 'running', isHere: false });
    const stale = createHost(room.deps, 'local', 'boot-0');
    expect(await refusal(stale.tryClaim(id))).toBe('stale_claim');
    expect(await room.host.tryClaim('sub_unknown')).toEqual({
      kind: 'nothing',
      status: null,
      isHere: false,
    });
  });
});

test('nobody can report for a run of another host or boot, nor end it', async () => {
  await withOperations(async (room) => {
    const { id } = await room.start();
    const spec = await room.host.claim(id);
    const other = createHost(room.deps, 'other', 'boot-x');
    await other.hello();
    expect(await refusal(other.end(spec, 'mine'))).toBe('stale_claim');
    expect(await refusal(other.say(spec, 1, 'mine'))).toBe('stale_claim');
    const stale = createHost(room.deps, 'local', 'boot-0');
    expect(await stale.end(spec, 'mine')).toMatchObject({ held: false, status: 'running' });
    expect(await room.get(id)).toMatchObject({ status: 'running', result: null });
    expect(await room.host.tryClaim(id)).toMatchObject({ kind: 'attach' });
    expect(await room.host.end(spec, 'its own')).toMatchObject({ status: 'completed' });
    expect((await room.get(id)).result?.content).toBe('its own');
  });
});

test('a run that nobody was given, or that was deleted, is refused and kept from coming again', async () => {
  await withOperations(async (room) => {
    const { id } = await room.start();
    const run = { invocationId: id, runNo: 7 };
    expect(await refusal(room.host.end(run, 'x'))).toBe('stale_claim');
    const spec = await room.host.play(id, 'done');
    await room.ask('deleteSubagent', { id });
    expect(await refusal(room.host.end(spec, 'x'))).toBe('stale_claim');
  });
});

test('a batch of reports is taken in its order, the ending last', async () => {
  await withOperations(async (room) => {
    const { id } = await room.start();
    const spec = await room.host.claim(id);
    const at = room.store.now();
    await room.host.report(spec, [
      { type: 'event', n: 1, event: { stream: 'stdout', text: 'one', at } },
      { type: 'event', n: 2, event: { stream: 'stderr', text: 'two', at } },
      { type: 'outcome', n: LAST, outcome: succeeded('three') },
    ]);
    const turns = await room.turns(id);
    expect(turns.map((turn) => [turn.role, turn.text])).toEqual([
      ['user', 'do it'],
      ['mark', 'running'],
      ['stdout', 'one'],
      ['stderr', 'two'],
      ['assistant', 'three'],
      ['mark', 'completed'],
    ]);
    expect(turns.map((turn) => turn.seq)).toEqual([1, 2, 3, 4, 5, 6]);
  });
});

test('what is said, without marks and raw output, is in session_transcripts', async () => {
  await withOperations(async (room) => {
    const { id, sessionKey } = await room.start({ prompt: 'What colour?' });
    const spec = await room.host.claim(id);
    await room.host.say(spec, 1, 'thinking');
    await room.host.end(spec, 'Blue.');
    const row = room.store.db.get('SELECT * FROM session_transcripts WHERE session_key = :key', {
      key: sessionKey,
    });
    expect(row).toMatchObject({
      session_key: sessionKey,
      content: 'User: What colour?\nAssistant: Blue.',
      agent_id: 'default',
    });
  });
});
