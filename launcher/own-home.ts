/** The very folder that a launcher began on: its path may come to lead nowhere, or to a home that is another one's. */
import { closeSync, fstatSync, openSync, statSync } from 'node:fs';
import { AppError } from '../contract/errors.ts';

export interface OwnHome {
  /** False when the folder was deleted, moved or replaced: then nothing may be started or written there. */
  isThere: () => boolean;
  close: () => void;
}

/** Nobody asked for it: a launcher ends with its whole stack, for no `down` finds it any more. */
export class HomeGone extends AppError {
  constructor(home: string) {
    super('home_unusable', `the home ${home} was deleted, moved or replaced by another one`, {
      hint: 'All that ran on it was ended. `offshoot up` starts it anew.',
    });
  }
}

export function ownHome(home: string): OwnHome {
  // While it is open its number is given to no other folder.
  const handle = openSync(home, 'r');
  const { dev, ino } = fstatSync(handle, { bigint: true });
  const isThere = () => {
    try {
      const now = statSync(home, { bigint: true });
      return now.dev === dev && now.ino === ino;
    } catch (error) {
      // Any other trouble says nothing of the folder.
      return !['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
    }
  };
  return { isThere, close: () => closeSync(handle) };
}
