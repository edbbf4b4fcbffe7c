/** A session taken from one store to another: whether it is over, what is wrong with a line, and how much comes at once. */
import { expect, test } from '@jest/globals';
import { AppError } from '../../contract/errors.ts';
import { limits } from '../../contract/limits.ts';
import type { ExportedTurn } from '../../contract/transcripts.ts';
import { withHooks, type HookRoom } from './hooks/hooks-fixture.ts';

const stateOf = async (room: HookRoom, agentId: string, key = 's1') => {
  const { sessions } = await room.ask('listSessions', { agentId, active: false });
  const found = sessions.find((session) => session.key === key)!;
  return { state: found.state, endedAt: found.endedAt };
};
const isAtWork = async (room: HookRoom, agentId: string) =>
  (await room.ask('listSessions', { agentId })).sessions.length > 0;

test('that a session has ended is taken along, and when; and that it goes on again', () =>
  withHooks(async (room) => {
    const take = async (agentId: string) => {
      const { jsonl } = await room.ask('exportSession', { key: 's1', agentId: 'default' });
      await room.ask('importSession', { jsonl, agentId });
    };
    await room.prompt('s1', 'one');
    await take('bob');
    expect(await stateOf(room, 'bob')).toMatchObject({ state: 'active', endedAt: null });

    await room.ask('hookSessionEnd', { harness: 'x', sessionKey: 's1', agentId: 'default' });
    const ended = await stateOf(room, 'default');
    expect(ended).toMatchObject({ state: 'ended' });
    for (const agentId of ['bob', 'carol', 'carol']) {
      await take(agentId);
      expect(await stateOf(room, agentId)).toEqual(ended);
      expect(await isAtWork(room, agentId)).toBe(false);
    }

    await room.prompt('s1', 'two', { agentId: 'default' });
    await take('bob');
    expect(await stateOf(room, 'bob')).toMatchObject({ state: 'active', endedAt: null });
    // What goes on here, too, is not ended by what is known.
    await room.ask('hookSessionEnd', { harness: 'x', sessionKey: 's1', agentId: 'default' });
    const { jsonl } = await room.ask('exportSession', { key: 's1', agentId: 'default' });
    await room.prompt('s1', 'three', { agentId: 'default' });
    await room.ask('importSession', { jsonl });
    expect(await stateOf(room, 'default')).toMatchObject({ endedAt: null });
  }));

test('of a session that we ran it has ended when nothing was open on it any more', () =>
  withHooks(async (room) => {
    const { id, sessionKey } = await room.start({});
    const headOf = async () => {
      const { jsonl } = await room.ask('exportSession', { key: sessionKey });
      return JSON.parse(jsonl.split('\n')[0]!) as { endedAt: string | null };
    };
    expect(await headOf()).toMatchObject({ endedAt: null });
    await room.ask('cancelSubagent', { id });
    const { endedAt } = await headOf();
    expect(endedAt).not.toBeNull();
    const { jsonl } = await room.ask('exportSession', { key: sessionKey });
    await room.ask('importSession', { jsonl, agentId: 'bob' });
    expect(await stateOf(room, 'bob', sessionKey)).toEqual({ state: 'ended', endedAt });
  }));

test('one that we run has no end of its own, also where an import brings more of it: it goes on', () =>
  withHooks(async (room) => {
    const { id, sessionKey: key } = await room.start({});
    await room.host.play(id, 'done');
    const { jsonl } = await room.ask('exportSession', { key });
    const last = JSON.parse(jsonl.trimEnd().split('\n').at(-1)!) as ExportedTurn;
    const more = { ...last, seq: last.seq + 1, text: 'said after the backup' };
    await room.ask('importSession', { jsonl: `${jsonl}${JSON.stringify(more)}\n` });
    expect(room.all(key).at(-1)).toBe(`${last.role}: said after the backup`);
    expect(await stateOf(room, 'default', key)).toEqual({ state: 'idle', endedAt: null });
  }));

const about = { offshoot: 'session', version: 1, sessionKey: 's1', agentId: 'default' };
const head = { ...about, harness: null, project: null, title: null, order: null };
const turn = (seq: number, more: object = {}) => ({
  ...{ seq, role: 'user', at: '2026-01-01T00:00:00.000Z', text: `turn ${seq}` },
  ...{ raw: null, tools: null, source: null, extra: null, ...more },
});
const lines = (...values: object[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('');

test('an older export, which says nothing of its end, changes nothing of it', () =>
  withHooks(async (room) => {
    await room.ask('importSession', { jsonl: lines({ ...head, endedAt: null }, turn(1)) });
    const ended = lines({ ...head, endedAt: '2026-01-02T00:00:00Z' }, turn(1), turn(2));
    await room.ask('importSession', { jsonl: ended });
    await room.ask('importSession', { jsonl: lines(head, turn(1), turn(2), turn(3)) });
    expect(await stateOf(room, 'default')).toEqual({
      state: 'ended',
      endedAt: '2026-01-02T00:00:00.000Z',
    });
  }));

test.each<[string, string, string]>([
  ['no JSON', '{"seq": 2', 'jsonl: line 4 is not one of an export: it is not JSON'],
  ['no turn', '{"seq": 2}', 'jsonl: line 4 is not one of an export: role: is missing'],
  ['deep', lines(turn(2, { extra: { a: deep(101) } })), 'extra: is nested too deep'],
  ['out of order', lines(turn(3)), 'jsonl: turn 3 does not follow what is there'],
])('a line that is %s is refused by its number, and nothing of its page is taken', (_, line, why) =>
  withHooks(async (room) => {
    const jsonl = `${lines(head)}\n${lines(turn(1))}${line}`;
    const error = await room.ask('importSession', { jsonl }).catch((refusal: unknown) => refusal);
    expect(error).toBeInstanceOf(AppError);
    expect((error as AppError).message).toContain(why);
    expect((error as AppError).hint).toMatch(/^(Export|Import) /);
    expect(room.session('s1', 'default')).toBeUndefined();
  }),
);

test('of what an import says beside a turn as much is kept as of a hook', () =>
  withHooks(async (room) => {
    const extra = { long: 'x'.repeat(4 * limits.hookExtraBytesMax), mode: 'plan' };
    await room.ask('importSession', { jsonl: lines(head, turn(1, { extra })) });
    const { extra: kept } = room.store.db.get<{ extra: string }>('SELECT extra FROM turns')!;
    expect(JSON.parse(kept)).toEqual({
      mode: 'plan',
      offshootLeftOut: { count: 1, fields: [{ name: 'long', bytes: extra.long.length + 11 }] },
    });
  }));

test('a page of an export is bounded, all that is kept with a turn included, and holds nobody up', () =>
  withHooks(async (room) => {
    const long = 'x'.repeat(limits.exportPageBytesMax / 10);
    const turns = Array.from({ length: 25 }, (_, index) =>
      turn(index + 1, index % 2 === 0 ? { raw: long } : { extra: { long: long.slice(0, 60_000) } }),
    );
    await room.ask('importSession', { jsonl: lines(head, ...turns) });
    let after = 0;
    let others = 0;
    let isOver = false;
    const another = () => {
      others += 1;
      if (!isOver) setImmediate(another);
    };
    setImmediate(another);
    const exported: ExportedTurn[] = [];
    const pages: number[] = [];
    for (;;) {
      const { jsonl, nextAfter } = await room.ask('exportSession', { key: 's1', after });
      pages.push(jsonl.length);
      exported.push(
        ...jsonl
          .trimEnd()
          .split('\n')
          .slice(1)
          .map((one) => JSON.parse(one)),
      );
      if (nextAfter === null) break;
      after = nextAfter;
    }
    isOver = true;
    expect(exported).toEqual(turns);
    expect(pages.length).toBeGreaterThan(1);
    expect(Math.max(...pages)).toBeLessThan(1.2 * limits.exportPageBytesMax);
    expect(others).toBeGreaterThanOrEqual(turns.length);
  }));

function deep(levels: number): unknown {
  return levels === 0 ? 1 : [deep(levels - 1)];
}
