/** Whoever follows may read at each step what it is told: else the stream is over. */
import { expect, test } from '@jest/globals';
import { watchSession, watchSubagent, type Caller } from '../../operations/index.ts';
import { withHooks, type HookRoom } from './hooks/hooks-fixture.ts';
import { refusal, withOperations } from './operations-fixture.ts';
import { scoped } from './scoped-caller.ts';

/** What is told until the stream ends by itself. */
async function follow(room: HookRoom, caller: Caller, key = 's1'): Promise<string[]> {
  const seen: string[] = [];
  for await (const { data } of watchSession(room.deps, caller, { key, after: 0 })) {
    seen.push(data.text);
  }
  return seen;
}

const inP = { project: '/s/p', agentId: 'alice' };

test('a session that moves to another project is told no further, and its stream ends', () =>
  withHooks(async (room) => {
    await room.prompt('s1', 'one', inP);
    const mine = follow(room, scoped('alice', { project: '/s/p' }));
    const gone = new AbortController();
    const whole = follow(room, scoped('alice', { gone: gone.signal }));
    await room.prompt('s1', 'two', inP);
    await new Promise(setImmediate);
    await room.prompt('s1', 'words of q', { ...inP, project: '/s/q' });
    expect(await mine).toEqual(['one', 'two']);
    await room.prompt('s1', 'more of q', { agentId: 'alice' });
    setTimeout(() => gone.abort(), 20);
    expect(await whole).toEqual(['one', 'two', 'words of q', 'more of q']);
  }));

test('a move alone, with no word, ends the stream of those who may not follow it there', () =>
  withHooks(async (room) => {
    await room.prompt('s1', 'one', inP);
    const mine = follow(room, scoped('alice', { project: '/s/p' }));
    await new Promise(setImmediate);
    await room.ask('registerSession', { key: 's1', agentId: 'alice', project: '/s/q' });
    expect(await mine).toEqual(['one']);
  }));

test('the stream of a session that is deleted ends, and tells nothing of one that is called the same', () =>
  withHooks(async (room) => {
    await room.prompt('s1', 'one', inP);
    const followers = [scoped('alice'), room.admin].map((caller) => follow(room, caller));
    await new Promise(setImmediate);
    await room.ask('deleteSession', { key: 's1' });
    await room.prompt('s1', 'another one', inP);
    expect(await Promise.all(followers)).toEqual([['one'], ['one']]);
  }));

test('a sub-agent that was deleted does not go on following who asked for it', () =>
  withOperations(async (room) => {
    const run = await room.host.claim((await room.start()).id);
    const child = await room.start({}, room.child(run.invocationId));
    await room.host.play(child.id, 'done');
    const seen: string[] = [];
    const following = (async () => {
      const asked = { id: run.invocationId, after: 0 };
      for await (const { data } of watchSubagent(room.deps, room.child(child.id), asked)) {
        if ('text' in data) seen.push(data.text);
      }
    })();
    await room.store.write(() => {});
    await room.ask('deleteSubagent', { id: child.id });
    await room.host.say(run, 1, 'said after that');
    expect(await refusal(following)).toBe('unauthorized');
    expect(seen).not.toContain('said after that');
  }));

test('an invocation whose session is out of reach is told no further', () =>
  withOperations(async (room) => {
    const context = { workspacePath: room.workspace };
    const run = await room.host.claim((await room.start({ context })).id);
    const seen: string[] = [];
    const mine = scoped('default', { project: room.workspace });
    const following = (async () => {
      const asked = { id: run.invocationId, after: 0 };
      for await (const { data } of watchSubagent(room.deps, mine, asked)) {
        if ('text' in data) seen.push(data.text);
      }
    })();
    await room.store.write((tx) => tx.db.run(`UPDATE sessions SET project = '/elsewhere'`));
    await room.host.say(run, 1, 'said elsewhere');
    await following;
    expect(seen).not.toContain('said elsewhere');
  }));
