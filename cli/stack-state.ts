/** How the stack of a home is in a word, and why nothing more can be said where its server says nothing. */
import type { AppError } from '../contract/errors.ts';
import { hintFor } from '../contract/hints.ts';
import type { Health } from '../contract/system-records.ts';
import type { Problem, StackState, StackStatus } from './render/stack.ts';

interface Seen extends Pick<StackStatus, 'url' | 'launcher' | 'processes'> {
  health: Health | null;
  /** The launcher was told to end it all. */
  isStopping: boolean;
  problem: AppError | null;
}

export function stackState(seen: Seen): { state: StackState; problem: Problem | null } {
  const state = stateOf(seen);
  return { state, problem: seen.problem && told(seen.problem, state, seen) };
}

function stateOf({ health, isStopping, launcher, processes }: Seen): StackState {
  if (health !== null) return health.status;
  if (isStopping) return 'stopping';
  if (serverOf(processes)) return 'not answering';
  return launcher === null ? 'not running' : 'restarting';
}

/** What the client says of a server that is not heard is meant for one that has gone for good. */
function told(
  { code, message, hint }: AppError,
  state: StackState,
  { url, launcher, processes }: Seen,
): Problem {
  if (code === 'server_unavailable' && state === 'stopping')
    return { code, message: 'The stack is being ended.', hint: null };
  if (code === 'server_unavailable' && state === 'restarting')
    return { code, message: 'None at the moment.', hint: 'Its launcher is starting it.' };
  if (code === 'server_unavailable' && state === 'not answering') {
    const pid = serverOf(processes)?.pid;
    if (url === null) {
      const word = `Process ${pid} lives, and has not said where it listens.`;
      return {
        code,
        message: word,
        hint: 'It is starting or ending: look again in a few seconds.',
      };
    }
    const lives = `Process ${pid} lives.`;
    const remedy =
      launcher === null
        ? 'See server.log; `offshoot down`, then `offshoot up`, starts another one.'
        : 'Its launcher ends a server that stays silent, and starts another one.';
    return { code, message, hint: `${lives} ${remedy}` };
  }
  return { code, message, hint: hintFor('cli', hint) };
}

const serverOf = (processes: StackStatus['processes']) =>
  processes.find(({ name, isRunning }) => name === 'server' && isRunning);
