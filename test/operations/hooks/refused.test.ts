/** A hook whose transcript is refused is heard, and answered with the refusal: what it would have been told, nobody has read. */
import { expect, test } from '@jest/globals';
import { refusal } from '../operations-fixture.ts';
import { withHooks } from './hooks-fixture.ts';

const elsewhere = { transcriptPath: '/nowhere/at/all.jsonl' };

test('a callback that it would have offered is offered by the next one, and not taken for read before', () =>
  withHooks(async (room) => {
    await room.prompt('main', 'begin');
    const { id } = await room.start({ executionMode: 'ASYNC_CALLBACK', parentSessionId: 'main' });
    await room.host.play(id, 'the answer');
    const states = async () => (await room.callbacks('main')).map(({ state }) => state);

    const prompt = room.prompt('main', 'go on', { ...elsewhere, idempotencyKey: 'p1' });
    expect(await refusal(prompt)).toBe('transcript_refused');
    const stop = { harness: 'claude-code', sessionKey: 'main' };
    const refused = room.ask('hookStop', { ...stop, ...elsewhere, idempotencyKey: 's1' });
    expect(await refusal(refused)).toBe('transcript_refused');
    expect(await states()).toEqual(['queued']);

    const { inject } = await room.ask('hookStop', { ...stop, idempotencyKey: 's2' });
    expect(inject).toContain('the answer');
    expect(inject).not.toContain('repeat=');
    await room.ask('hookStop', { ...stop, idempotencyKey: 's3' });
    expect(await states()).toEqual(['delivered']);
  }));

test('what its parent knows is told in full at the next start', () =>
  withHooks(async (room) => {
    await room.prompt('root', 'the port is 4000');
    const start = { harness: 'claude-code', sessionKey: 'child', parentSessionKey: 'root' };
    const refused = room.ask('hookSessionStart', { ...start, ...elsewhere });
    expect(await refusal(refused)).toBe('transcript_refused');
    expect((await room.ask('hookSessionStart', start)).inject).toContain('the port is 4000');
    expect((await room.ask('hookSessionStart', start)).inject).toContain('As told before');
  }));

test('an end that comes at once ends it, also by a clock that is behind what was read of a callback', () =>
  withHooks(async (room) => {
    const atOf = () => new Date(room.clock.now().getTime() - 10 * 60_000).toISOString();
    await room.prompt('s1', 'begin', { at: atOf() });
    const { id } = await room.start({ executionMode: 'ASYNC_CALLBACK', parentSessionId: 's1' });
    await room.host.play(id, 'the answer');
    await room.prompt('s1', 'go', { at: atOf() });
    const [callback] = await room.callbacks('s1');
    await room.prompt('s1', `read ${callback!.id}`, { at: atOf() });
    const at = atOf();
    const end = { harness: 'claude-code', sessionKey: 's1', at, ...elsewhere };
    expect(await refusal(room.ask('hookSessionEnd', end))).toBe('transcript_refused');
    expect(room.session('s1')!.ended_at).toBe(at);
  }));

test('where its transcript is optional a hook is answered as if it had named none, and says why it was not taken', () =>
  withHooks(async (room) => {
    const optional = { ...elsewhere, transcriptOptional: true };
    const why = expect.stringMatching(/outside of the allowed folders.*hooks\.transcriptRoots/);
    await room.prompt('main', 'the port is 4000');
    const { id } = await room.start({ executionMode: 'ASYNC_CALLBACK', parentSessionId: 'main' });
    await room.host.play(id, 'the answer');
    const told = { ...optional, idempotencyKey: 'p1' };
    const prompt = await room.prompt('main', 'go on', told);
    expect(prompt).toMatchObject({
      inject: expect.stringContaining('the answer'),
      reason: 'callbacks',
      transcriptRefused: why,
    });
    // Once more it is answered as it was, and said once.
    expect(await room.prompt('main', 'go on', told)).toEqual(prompt);
    expect(room.said('main')).toEqual(['user: the port is 4000', 'user: go on']);
    const stop = { harness: 'claude-code', sessionKey: 'main', ...optional };
    await room.ask('hookStop', { ...stop, idempotencyKey: 's1' });
    expect((await room.callbacks('main')).map(({ state }) => state)).toEqual(['delivered']);

    const start = { harness: 'claude-code', sessionKey: 'child', parentSessionKey: 'main' };
    const { inject } = await room.ask('hookSessionStart', { ...start, ...optional });
    expect(inject).toContain('the port is 4000');
    const transcriptPath = room.stage('main.jsonl', '');
    const taken = await room.prompt('main', 'next', { transcriptPath, transcriptOptional: true });
    expect(taken).not.toHaveProperty('transcriptRefused');
  }));

test('all that was said is kept where the transcript cannot be read, and is not said once more beside one that can', () =>
  withHooks(async (room) => {
    const stop = { harness: 'gemini-cli', allSaid: 'the answer' };
    const refused = room.ask('hookStop', { ...stop, ...elsewhere, sessionKey: 'main' });
    expect(await refusal(refused)).toBe('transcript_refused');
    expect(room.said('main')).toEqual(['assistant: the answer']);

    const entries = [
      { type: 'user', content: [{ text: 'go' }] },
      { type: 'gemini', content: 'the' },
      { type: 'gemini', content: 'answer' },
    ];
    const transcriptPath = room.stage(
      'chat.jsonl',
      entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''),
    );
    await room.ask('hookStop', { ...stop, transcriptPath, sessionKey: 'other' });
    expect(room.said('other')).toEqual(['user: go', 'assistant: the', 'assistant: answer']);
  }));
