import { expect, test } from '@jest/globals';
import { tellOfEnd, type Agents } from '../../worker/host/tell-of-end.ts';

/** One that is told while it has these agents, and ends with those. */
function told(during: Partial<Agents>, after: Partial<Agents> = {}) {
  const lines: string[] = [];
  let agents = { running: 0, untold: 0, ...during };
  const end = tellOfEnd({ agents: () => agents, say: (line) => lines.push(line) });
  const over = () => {
    agents = { running: 0, untold: 0, ...after };
    end.over();
    return lines;
  };
  return { ...end, over };
}

test('a host without agents says in a line why it has stopped', () => {
  const host = told({});
  host.stops('Ctrl-C');
  expect(host.over()).toEqual(['stopped (Ctrl-C); no agent was running']);
});

test('what becomes of its agents is said before they are ended, and afterwards, once for both Ctrl-C of a terminal', () => {
  const host = told({ running: 2 });
  host.stops('Ctrl-C');
  host.stops('Ctrl-C');
  expect(host.over()).toEqual([
    "stopping (Ctrl-C): 2 agents are running and will be asked to stop; what is lost fails or runs again, as its runner's onLost says",
    'stopped (Ctrl-C); 2 agents ended',
  ]);
});

test('what has not come to an end, or not to the server, is told', () => {
  const host = told({ running: 3 }, { running: 1, untold: 2 });
  host.stops('SIGTERM');
  expect(host.over()[1]).toBe(
    'stopped (SIGTERM); 2 agents ended; 1 agent is left running, and ended at its next start; what 2 agents said is kept here for its next start',
  );
});

test('one that lets its agents finish says so, and may be told to end them after all', () => {
  const drained = told({ running: 1 });
  drained.drains('SIGHUP');
  expect(drained.over()).toEqual([
    'stopping (SIGHUP): 1 agent is running and will finish; nothing new is begun',
    'stopped (SIGHUP); 1 agent finished',
  ]);
  const stopped = told({ running: 1 });
  stopped.drains('SIGHUP');
  stopped.stops('SIGTERM');
  stopped.drains('SIGHUP');
  expect(stopped.over().at(-1)).toBe('stopped (SIGTERM); 1 agent ended');
  const resumed = told({});
  resumed.drains('SIGHUP');
  resumed.resumes();
  resumed.stops('SIGTERM');
  resumed.resumes();
  expect(resumed.over()).toEqual(['stopped (SIGTERM); no agent was running']);
});
