/** One short line for each step of an invocation's life: whoever looks for its id finds what became of it. */
import type { Log } from '../contract/log.ts';
import type { Change } from '../store/index.ts';

/** Told after the commit, and written a turn of the event loop later: who is to begin is told first. */
export function createLifeLog(log: Log): (change: Change) => void {
  let untold: Change[] = [];
  const write = () => {
    const changes = untold;
    untold = [];
    for (const change of changes) writeLine(log, change);
  };
  return (change) => {
    if (!told.has(change.kind)) return;
    if (untold.push(change) === 1) setImmediate(write);
  };
}

const told = new Set<Change['kind']>(['accepted', 'run began', 'run over', 'final']);

function writeLine(log: Log, change: Change): void {
  if (change.kind === 'accepted') {
    const { invocationId: invocation, session, runner, mode } = change;
    log(`accepted: ${runner}, ${mode}`, { level: 'info', invocation, session });
  } else if (change.kind === 'run began' || change.kind === 'run over') {
    const what = change.kind === 'run began' ? `started on ${change.hostId}` : 'run over';
    log(what, { level: 'info', invocation: change.invocationId, run: change.runNo });
  } else if (change.kind === 'final') {
    const { status, errorCode, seconds } = change.ended;
    const why = errorCode === null ? '' : `, ${errorCode}`;
    log(`${status}${why}, after ${seconds} s`, { level: 'info', invocation: change.invocationId });
  }
}
