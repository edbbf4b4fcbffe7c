/** What something is called is shown in lists, trees and headings: a secret in it is not. */
import { expect, test } from '@jest/globals';
import { withHooks } from './hooks/hooks-fixture.ts';

/** Put together here, so that no search for secrets stumbles over this file. */
const secret = ['ghp', 'a1B2'.repeat(9)].join('_');
const mark = '[redacted GitHub token]';

test('a title tells no secret, wherever sessions and invocations are listed', () =>
  withHooks(async (room) => {
    const start = { harness: 'opencode', sessionKey: 's1', title: `push with ${secret}` };
    await room.ask('hookSessionStart', start);
    await room.prompt('s1', 'hello');
    const named = await room.start({ parentSessionId: 's1', title: `clone with ${secret}` });
    const prompt = `pull with ${secret}\nand no word of it`;
    const unnamed = await room.start({ parentSessionId: 's1', prompt });
    const tree = await room.ask('getTree', { key: 's1' });
    expect(tree.title).toBe(`push with ${mark}`);
    const titles = tree.children.flatMap(({ title, invocations }) => [
      title,
      ...invocations.map((one) => one.title),
    ]);
    expect(titles.filter((title) => title !== null)).toEqual([
      ...[`clone with ${mark}`, `clone with ${mark}`, `pull with ${mark}`],
    ]);
    expect((await room.ask('getSession', { key: 's1' })).title).toBe(`push with ${mark}`);
    const { sessions } = await room.ask('listSessions', { active: false });
    const registered = await room.ask('registerSession', { key: 's1', title: `set ${secret}` });
    const { offers } = await room.ask('getContext', { key: 's1' });
    expect(offers!.text).toContain(`\n\nset ${mark} (s1)\n`);
    for (const shown of [tree, sessions, registered, offers]) {
      expect(JSON.stringify(shown)).not.toContain(secret.slice(0, 12));
    }
    // A task is told as it was asked to who has asked it.
    expect((await room.get(unnamed.id)).context.prompt).toBe(prompt);
    expect((await room.get(named.id)).title).toBe(`clone with ${secret}`);
  }));

test('no mark of a secret is cut in two, in a name or a heading of any length', () =>
  withHooks(async (room) => {
    for (let before = 60; before < 200; before += 7) {
      const key = `s${before}`;
      const title = `${'x'.repeat(before)} ${secret}`.slice(0, 200);
      await room.ask('registerSession', { key, title });
      await room.prompt(key, `${'y'.repeat(before)} ${secret} ${'z'.repeat(200)}`);
      const session = await room.ask('getSession', { key });
      const { offers } = await room.ask('getContext', { key });
      const tree = await room.ask('getTree', { key });
      for (const shown of [session, offers, tree]) {
        const marks = JSON.stringify(shown).match(/[xy] \[[^\]"]*./g) ?? [];
        expect(marks.filter((one) => one.slice(2) !== mark)).toEqual([]);
      }
    }
  }));
