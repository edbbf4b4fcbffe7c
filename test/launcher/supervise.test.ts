import { appendFileSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { spawnDetached } from '../../engine/running-process.ts';
import { isRunning, type ProcessId } from '../../engine/process-identity.ts';
import { stopProcess } from '../../engine/stop-process.ts';
import type { LauncherEvent } from '../../launcher/events.ts';
import {
  HopelessStart,
  supervise,
  type SuperviseSpec,
  type Timing,
} from '../../launcher/supervise.ts';
import { withFolder } from '../support/folder.ts';
import { until } from './launcher-fixture.ts';

interface Room {
  events: LauncherEvent[];
  start: (script: string, change?: Partial<SuperviseSpec>) => ReturnType<typeof supervise>;
}

async function withRoom(timing: Partial<Timing>, run: (room: Room) => Promise<void>) {
  await withFolder(async (folder) => {
    const logFile = join(folder, 'a.log');
    const events: LauncherEvent[] = [];
    const supervisors: ReturnType<typeof supervise>[] = [];
    const start: Room['start'] = (script, change) => {
      const supervisor = supervise({
        name: 'host',
        start: async () =>
          spawnDetached({
            ...{ command: process.execPath, args: ['-e', script] },
            ...{ env: process.env, cwd: folder, logFile },
          }),
        isHealthy: async () => true,
        // It is all there is.
        isStackUp: () => ups(events) > 0,
        logFile,
        onEvent: (event) => events.push(event),
        timing,
        ...change,
      });
      supervisors.push(supervisor);
      return supervisor;
    };
    try {
      await run({ events, start });
    } finally {
      for (const supervisor of supervisors) {
        const running = await supervisor.release();
        if (running !== null) await stopProcess(running.id, 0);
      }
    }
  });
}

const types = (events: LauncherEvent[]) => events.map(({ type }) => type);
const ups = (events: LauncherEvent[]) => types(events).filter((is) => is === 'healthy').length;
const pauses = (events: LauncherEvent[]) =>
  events.flatMap((event) => (event.type === 'died' ? [event.restartInMs] : []));

test('the pauses between restarts double up to their limit', async () => {
  const timing = { delayMsMin: 10, delayMsMax: 40, healthPollMs: 1 };
  await withRoom(timing, async ({ events, start }) => {
    start('process.exit(1)');
    await until('five deaths', () => pauses(events).length >= 5);
    expect(pauses(events).slice(0, 5)).toEqual([10, 20, 40, 40, 40]);
  });
});

test('one that was healthy for long enough is restarted quickly again', async () => {
  const timing = { delayMsMin: 10, steadyMs: 300 };
  await withRoom(timing, async ({ events, start }) => {
    let starts = 0;
    const supervisor = start('', {
      start: async () => {
        starts += 1;
        const args = ['-e', `setTimeout(() => {}, ${starts === 3 ? 500 : 0})`];
        const logFile = '/dev/null';
        return spawnDetached({ command: process.execPath, args, env: {}, cwd: '/', logFile });
      },
    });
    await until('three deaths', () => pauses(events).length >= 3);
    expect(pauses(events).slice(0, 3)).toEqual([10, 20, 10]);
    await supervisor.release();
  });
});

test('five deaths without health are a crash loop, which ends with the last lines of the log', async () => {
  await withRoom({ delayMsMin: 5 }, async ({ events, start }) => {
    const script = 'console.error("no such table"); process.exit(7)';
    const supervisor = start(script, { isHealthy: async () => false });
    await expect(supervisor.ready).rejects.toThrow(/ended 5 times in a row \(exit code 7\)/);
    expect(await supervisor.finished).toMatchObject({
      message: expect.stringContaining('no such table'),
    });
    expect(events.filter(({ type }) => type === 'started')).toHaveLength(5);
    expect(events.at(-1)).toMatchObject({ type: 'gave_up' });
  });
});

test('the last lines of a crash loop are shown as a person reads them', async () => {
  await withRoom({ delayMsMin: 5 }, async ({ start }) => {
    const line = { level: 'error', time: 'T', process: 'server', msg: 'no such table' };
    const script = `console.error(${JSON.stringify(JSON.stringify(line))}); process.exit(7)`;
    const supervisor = start(script, { isHealthy: async () => false });
    await expect(supervisor.ready).rejects.toThrow(/:\nT error server: no such table$/);
  });
});

test('what a start has said of the log is not said twice', async () => {
  await withFolder(async (folder) => {
    const logFile = join(folder, 'engine.log');
    await withRoom({ delayMsMin: 5 }, async ({ start }) => {
      const supervisor = start('', {
        logFile,
        start: async () => {
          appendFileSync(logFile, 'disk is full\n');
          throw new Error('it did not become healthy:\ndisk is full');
        },
      });
      await expect(supervisor.ready).rejects.toThrow(
        /5 times in a row \(it did not become healthy:\ndisk is full\)$/,
      );
    });
  });
});

test('deaths that lie far apart are no crash loop', async () => {
  await withRoom({ delayMsMin: 5, delayMsMax: 5, deathsMs: 60 }, async ({ events, start }) => {
    start('process.exit(1)', { isHealthy: async () => false });
    await until('eight deaths', () => pauses(events).length >= 8);
  });
});

test('a start that throws counts as a death', async () => {
  await withRoom({ delayMsMin: 5 }, async ({ start }) => {
    const supervisor = start('', {
      start: async () => {
        throw new Error('no room');
      },
    });
    await expect(supervisor.ready).rejects.toThrow(/5 times in a row \(no room\)/);
  });
});

test('a start without hope is given up at once, with its own error', async () => {
  await withRoom({}, async ({ start }) => {
    const cause = new Error('no such program');
    let starts = 0;
    const supervisor = start('', {
      start: async () => {
        starts += 1;
        throw new HopelessStart(cause);
      },
    });
    expect(await supervisor.finished).toBe(cause);
    expect(starts).toBe(1);
  });
});

test('a released process goes on and is not started again when it ends', async () => {
  await withRoom({}, async ({ events, start }) => {
    const supervisor = start('setInterval(() => {}, 1000)');
    await supervisor.ready;
    const running = await supervisor.release();
    expect(await supervisor.finished).toBeNull();
    if (running === null) throw new Error('nothing was running');
    await sleep(50);
    expect(await stopProcess(running.id, 1_000)).toBe('ended');
    await sleep(200);
    expect(events.map(({ type }) => type)).toEqual(['started', 'healthy']);
  });
});

test('a release during the pause starts nothing any more', async () => {
  await withRoom({ delayMsMin: 600_000 }, async ({ events, start }) => {
    const supervisor = start('process.exit(1)');
    await until('it has died', () => pauses(events).length === 1);
    // The pause is far longer than this test may last.
    expect(await supervisor.release()).toBeNull();
  });
});

test('a log that does not exist is no trouble', async () => {
  await withFolder(async (folder) => {
    appendFileSync(join(folder, 'x'), '');
    const events: LauncherEvent[] = [];
    const supervisor = supervise({
      name: 'engine',
      start: () => Promise.reject(new Error('no binary')),
      isHealthy: async () => true,
      isStackUp: () => false,
      logFile: join(folder, 'missing.log'),
      onEvent: (event) => events.push(event),
      timing: { delayMsMin: 1 },
    });
    expect(await supervisor.finished).toMatchObject({ code: 'engine_unavailable' });
  });
});

const impatient = { askMs: 20, askAgainMs: 20, delayMsMin: 5, healthPollMs: 1 };

test('a process that lives and does not answer three times in a row is ended and started again', async () => {
  await withRoom(impatient, async ({ events, start }) => {
    let asked = 0;
    start('setInterval(() => {}, 1000)', { isAnswering: async () => (asked += 1) > 3 });
    await until('another one is up', () => ups(events) > 1);
    expect(types(events)).toEqual(['started', 'healthy', 'hangs', 'died', 'started', 'healthy']);
    await sleep(200);
    expect(types(events)).toHaveLength(6);
  });
});

test('one that is slow now and then is left alone', async () => {
  await withRoom(impatient, async ({ events, start }) => {
    let asked = 0;
    start('setInterval(() => {}, 1000)', { isAnswering: async () => (asked += 1) % 3 === 0 });
    await until('it was asked often', () => asked > 12);
    expect(types(events)).toEqual(['started', 'healthy']);
  });
});

test('a process that was let go is asked nothing any more, and not ended for its silence', async () => {
  await withRoom(impatient, async ({ events, start }) => {
    const supervisor = start('setInterval(() => {}, 1000)', { isAnswering: async () => false });
    await supervisor.ready;
    const running = await supervisor.release();
    await sleep(200);
    expect(types(events)).toEqual(['started', 'healthy']);
    expect(await stopProcess(running!.id, 1_000)).toBe('ended');
  });
});

test('an end that says why another start is in vain is given up at once, with that reason', async () => {
  await withRoom({}, async ({ events, start }) => {
    const why = new Error('the database is damaged');
    const supervisor = start('process.exit(78)', {
      isHealthy: async () => false,
      whyHopeless: (how) => (how === 'exit code 78' ? why : null),
    });
    expect(await supervisor.finished).toBe(why);
    expect(types(events)).toEqual(['started', 'gave_up']);
  });
});

const quick = { delayMsMin: 2, delayMsMax: 5, healthPollMs: 1 };

test('one that was up is tried for ever at the longest pause, each death is told, and then it is back', async () => {
  await withFolder(async (folder) => {
    const broken = join(folder, 'is-broken');
    const script = `setInterval(() => {}, 1000); if (require('node:fs').existsSync(${JSON.stringify(broken)})) process.exit(3)`;
    await withRoom(quick, async ({ events, start }) => {
      const supervisor = start(script, { isHealthy: async () => !existsSync(broken) });
      await supervisor.ready;
      writeFileSync(broken, '');
      for (const event of events) if (event.type === 'healthy') process.kill(event.pid, 'SIGKILL');
      await until('far more deaths than a crash loop has', () => pauses(events).length > 12);
      expect(pauses(events).slice(2)).toEqual(pauses(events).slice(2).fill(5));
      expect(events.findLast(({ type }) => type === 'died')).toMatchObject({ how: 'exit code 3' });
      rmSync(broken);
      await until('it is up', () => ups(events) === 2);
      expect(types(events)).not.toContain('gave_up');
    });
  });
});

test('while nothing can be written what keeps it from coming up is told, and then it is back', async () => {
  await withRoom(quick, async ({ events, start }) => {
    let why: string | null = null;
    let starts = 0;
    const supervisor = start('', {
      whyInVain: () => why,
      start: async () => {
        starts += 1;
        if (why !== null) throw new Error('no room for its pid file');
        const args = ['-e', starts === 1 ? '' : 'setInterval(() => {}, 1000)'];
        why = starts === 1 ? 'ENOSPC: no space left' : null;
        const [env, logFile] = [{}, '/dev/null'];
        return spawnDetached({ command: process.execPath, args, env, cwd: '/', logFile });
      },
    });
    await until('far more deaths than a crash loop has', () => pauses(events).length > 12);
    expect(events.findLast(({ type }) => type === 'died')).toMatchObject({
      how: 'no room for its pid file; ENOSPC: no space left',
    });
    why = null;
    await until('it is up', () => ups(events) === 2);
    const running = await supervisor.release();
    await stopProcess(running!.id, 1_000);
    expect(types(events)).not.toContain('gave_up');
  });
});

test('one that never was up is given up also for want of room: somebody waits to be told', async () => {
  await withRoom({ delayMsMin: 2 }, async ({ start }) => {
    const supervisor = start('', {
      whyInVain: () => 'ENOSPC: no space left',
      start: async () => {
        throw new Error('no room');
      },
    });
    await expect(supervisor.ready).rejects.toThrow(/5 times in a row \(no room\)/);
  });
});

test('a process that cannot be noted is ended: nobody would find it again', async () => {
  await withFolder(async (folder) => {
    let id: ProcessId | null = null;
    const spawned = () =>
      spawnDetached({
        ...{ command: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'], env: {} },
        ...{ cwd: folder, logFile: join(folder, 'a.log') },
        onSpawn: (given) => {
          id = given;
          throw new Error('ENOSPC');
        },
      });
    expect(spawned).toThrow('ENOSPC');
    await until('it is gone', () => !isRunning(id!));
  });
});
