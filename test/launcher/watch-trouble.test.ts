import { expect, test } from '@jest/globals';
import { withFolder } from '../support/folder.ts';
import { watchTrouble } from '../../launcher/watch-trouble.ts';

const line = (level: string, msg: string) => JSON.stringify({ level, msg });
const died = line('warn', 'runner host: ended (signal SIGKILL), starting again in 100 ms');

test('what goes wrong before the stack was up is for its launcher to end; afterwards it counts', () =>
  withFolder(async (home) => {
    const trouble = watchTrouble(home, -1);
    trouble.hear(died);
    expect([trouble.isInVain(false), trouble.words()]).toEqual([false, null]);
    trouble.hear(line('info', 'all processes are up'));
    expect(trouble.isInVain(false)).toBe(false);
    trouble.hear(died);
    expect([trouble.isInVain(true), trouble.words()]).toEqual([
      true,
      'the runner host ended (signal SIGKILL)',
    ]);
  }));

test('one that is given up is waited for no longer, unless the server answers', () =>
  withFolder(async (home) => {
    const trouble = watchTrouble(home, 60_000);
    trouble.wasUp();
    trouble.hear(died);
    expect(trouble.isInVain(false)).toBe(false);
    trouble.hear(line('error', 'server: main.db is damaged'));
    expect([trouble.isInVain(true), trouble.isInVain(false)]).toEqual([false, true]);
    expect(trouble.words()).toBe('server: main.db is damaged');
  }));

test('another launcher that has come in vain, and says so in the same log, is no trouble', () =>
  withFolder(async (home) => {
    const trouble = watchTrouble(home, -1);
    trouble.wasUp();
    trouble.hear(line('error', `${home} is looked after by process 7 already`));
    expect([trouble.isInVain(false), trouble.words()]).toEqual([false, null]);
  }));
