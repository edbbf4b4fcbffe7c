/**
 * What `faults/reach.js` is in the tests' copy of `dist/`: counts every point that is passed in
 * `<home>/reached.log`, and kills whom `<home>/fault.json` names when its point is passed for the nth time;
 * `<home>/killed-<id>.json` says who died of it.
 * All of it is synchronous, so that nothing happens between the point and the death.
 */
import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const home = process.env.OFFSHOOT_HOME;
/** For a process that dies alone. */
const killAt = process.env.OFFSHOOT_TEST_KILL_AT;
/** Agents that are built from the same copy pass nothing. */
const isOurs = /\/(api|worker)\/main\.js$/.test(process.argv[1] ?? '');
const counted = { id: null, passes: 0 };

export function reach(point) {
  if (point === killAt) process.kill(process.pid, 'SIGKILL');
  if (!isOurs) return;
  appendFileSync(join(home, 'reached.log'), `${point}\n`);
  const fault = read('fault.json');
  if (fault === null || fault.point !== point) return;
  if (counted.id !== fault.id) Object.assign(counted, { id: fault.id, passes: 0 });
  counted.passes += 1;
  if (counted.passes < fault.nth || !isTaken(fault.id)) return;
  const pids = fault.kill.map((name) => read(`run/${name}.json`)?.pid);
  const killed = pids.map((pid) => (pid === process.pid || isKilled(pid) ? pid : null));
  noteKilled(fault.id, killed);
  // Ourselves last: nobody else would kill the others, or say so.
  if (killed.includes(process.pid)) process.kill(process.pid, 'SIGKILL');
}

/** Of two processes at the same point one gets it. */
function isTaken(id) {
  try {
    renameSync(join(home, 'fault.json'), join(home, `taken-${id}.json`));
    return true;
  } catch {
    return false;
  }
}

function read(name) {
  try {
    return JSON.parse(readFileSync(join(home, name), 'utf8'));
  } catch {
    return null;
  }
}

/** False of what is dead already, or was never there: then the death that was ordered did not come. */
function isKilled(pid) {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}

/** Whole at once, for whoever looks meanwhile. */
function noteKilled(id, killed) {
  const taken = join(home, `taken-${id}.json`);
  writeFileSync(taken, JSON.stringify(killed));
  renameSync(taken, join(home, `killed-${id}.json`));
}
