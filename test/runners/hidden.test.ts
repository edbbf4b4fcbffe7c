/** Programs without a marker: one that sets a long title writes it over its environment. */
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { sweepLeftRuns } from '../../runners/index.ts';
import { until } from '../e2e/stack.ts';
import { isAlive, nodeRunner, run, specOf, withRoom, type Ran, type Room } from './run-fixture.ts';

/** Tells its pid when it has hidden, and then only lives. */
const hide = '$0 = "agentx" x 1000; $| = 1; print "$$\\n"; sleep 60';
const hidden = `exec perl -e '${hide}'`;
/** In a session of its own, as many tools start theirs: only its parent tells whose it is. */
const hiddenChild = `perl -e 'use POSIX; POSIX::setsid(); ${hide}'`;

interface Hidden {
  room: Room;
  runsFolder: string;
  /** The last of these is the one that hides. */
  pids: number[];
  ran: Promise<Ran>;
}

/** The run of a shell script that tells pids, in the folder that a host would give it. */
async function withHidden(
  script: string,
  use: (hidden: Hidden) => Promise<void>,
  { tells = 1, stopAt = Infinity, signal = new AbortController() } = {},
): Promise<void> {
  await withRoom(async (room) => {
    const runsFolder = join(room.runDir, 'runs');
    const runDir = join(runsFolder, 'sub_1-1');
    mkdirSync(runDir, { recursive: true });
    const runner = { ...nodeRunner('', []), command: 'sh', args: ['-c', script] };
    let said = '';
    const pids = () => (said.match(/\d+\n/g) ?? []).map(Number);
    const onEvent = ({ text }: { text: string }) => {
      said += text;
      if (pids().length >= stopAt) signal.abort('cancelled');
    };
    const ran = run(room, specOf(room, runner), { runDir, signal: signal.signal, onEvent });
    try {
      await until(
        async () => pids(),
        (told) => told.length === tells,
      );
      const environ = readFileSync(`/proc/${pids().at(-1)}/environ`, 'utf8');
      expect(environ).not.toContain(room.marker);
      await use({ room, runsFolder, pids: pids(), ran });
    } finally {
      signal.abort('cancelled');
      await ran;
      // Only where the test has failed: they are ours, and nobody else has their numbers yet.
      for (const pid of pids().filter(isAlive)) process.kill(pid, 'SIGKILL');
    }
  });
}

test('a run whose host is gone is ended by its pid and start, with what hides below it', async () => {
  for (const script of [hidden, `${hiddenChild} & wait`]) {
    await withHidden(script, async ({ runsFolder, room, pids, ran }) => {
      const hostPrefix = room.marker.replace(/sub_1.*/, '');
      expect(await sweepLeftRuns(runsFolder, hostPrefix, 300)).toBeGreaterThan(0);
      expect(pids.filter(isAlive)).toEqual([]);
      expect((await ran).outcome.signal).toBe('SIGTERM');
    });
  }
});

test('where the name of the home is not known, the notes of its runs tell whom to end, their markers included', async () => {
  const daemon = `(setsid sh -c 'echo $$; exec sleep 60' &)`;
  await withHidden(
    `${daemon}; sleep 0.3; ${hidden}`,
    async ({ runsFolder, pids }) => {
      expect(await sweepLeftRuns(runsFolder, null, 300)).toBe(2);
      expect(pids.filter(isAlive)).toEqual([]);
    },
    { tells: 2 },
  );
});

test('what a note from another folder names is left alone: a copy of the home has it, too', async () => {
  await withHidden(hidden, async ({ runsFolder, pids }) => {
    const copy = `${runsFolder}-copy`;
    cpSync(runsFolder, copy, { recursive: true });
    expect(await sweepLeftRuns(copy, null, 300)).toBe(0);
    expect(pids.filter(isAlive)).toEqual(pids);
  });
});

test('a child in a session of its own that hides is ended with the run that is stopped', async () => {
  const cancel = new AbortController();
  await withHidden(
    `${hiddenChild} & wait`,
    async ({ pids, ran }) => {
      cancel.abort('cancelled');
      expect((await ran).outcome.kind).toBe('cancelled');
      expect(pids.filter(isAlive)).toEqual([]);
    },
    { signal: cancel },
  );
});

test('so is one that began when its run was asked to end, and that hid before the run was forced to', async () => {
  const script = `trap "${hiddenChild.replaceAll(/["$\\]/g, '\\$&')} &" TERM; echo $$; while :; do sleep 0.05; done`;
  await withHidden(
    script,
    async ({ pids, ran }) => {
      expect((await ran).outcome).toMatchObject({ kind: 'cancelled', signal: 'SIGKILL' });
      expect(pids.filter(isAlive)).toEqual([]);
    },
    { tells: 2, stopAt: 1 },
  );
});
