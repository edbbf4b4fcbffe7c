/** A stack that nobody asks for anything: what it takes of the machine, and what it asks of Temporal. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { homePaths } from '../../contract/home.ts';
import { note, plainFigure, type Figure } from '../figure.ts';
import { soonestAgain, type Askers } from '../recurrence.ts';
import type { Row } from '../row.ts';
import { untilClosed, withStack, type ProcessName, type Stack } from '../stack.ts';

const MINUTES = 10;
const processes: readonly ProcessName[] = ['engine', 'server', 'host'];
/** USER_HZ, which Linux has kept at this for all programs. */
const TICKS_PER_SECOND = 100;
/** Short beside a minute. Reading the counts takes 30 ms each time, which is in the figure of the CPU. */
const SAMPLE_SECONDS = 10;
const MINUTE = 60 / SAMPLE_SECONDS;
/** Long polls of workers come back when they come back: no timer below a minute but these. */
const isPoll = (operation: string) => operation.startsWith('Poll');

export const idleRow: Row = {
  name: 'idle',
  measure: ({ quick }) =>
    withStack({}, async (stack) => {
      // A stack that was never used has not loaded half of itself.
      const record = await stack.client.call('runSubagent', { runnerId: 'echo', prompt: 'x' });
      await untilClosed(stack, record);
      await sleep(quick ? 2000 : 30_000);
      const seconds = quick ? 20 : MINUTES * 60;
      const ticks = ticksOf(stack);
      const asked = await requestsOver(stack, seconds / SAMPLE_SECONDS);
      const cpu = ((ticksOf(stack) - ticks) / TICKS_PER_SECOND / seconds) * 100;
      const rss = processes.reduce((sum, name) => sum + rssMegabytes(stack.pid(name)), 0);
      const lines = `${seconds} s idle`;
      return [
        plainFigure(`${lines}: RSS of engine, server and host`, rss, 'MB', 800),
        plainFigure(`${lines}: CPU of one core`, cpu, '%', 3),
        ...[...asked].map(([name, counts]) => requestFigure(name, counts)),
      ];
    }),
};

/**
 * Who asks more than one at a time: the launcher, whether the engine is well; the server, each time that the engine has
 * closed their silent connection, twice the same, twice for the namespace, and for each search attribute; every worker of
 * the SDK, the engine's own among them, tells that it is there.
 */
const askers: Record<string, Askers> = {
  GetSystemInfo: { sources: 3, each: 1 },
  DescribeNamespace: { sources: 1, each: 2 },
  CountWorkflowExecutions: { sources: 1, each: 6 },
  RecordWorkerHeartbeat: { sources: 5, each: 1 },
};

/** Each of them asks once a minute at most: neither sooner again, a sample more or less, nor more often in all. */
function requestFigure(operation: string, counts: readonly number[]): Figure {
  const what = `  Temporal ${operation}`;
  const count = counts.reduce((sum, one) => sum + one, 0);
  if (isPoll(operation)) return note(what, String(count));
  const who = askers[operation] ?? { sources: 1, each: 1 };
  const again = soonestAgain(counts, who);
  const countMax = Math.ceil(counts.length / MINUTE) * who.sources * who.each;
  const told = again === Infinity ? 'none again' : `again after ${again * SAMPLE_SECONDS} s`;
  return {
    ...{ what, ours: `${count}, ${told}`, floor: '', ratio: '' },
    bound: `<= ${countMax}, >= ${(MINUTE - 1) * SAMPLE_SECONDS} s`,
    isMet: count <= countMax && again >= MINUTE - 1,
  };
}

function ticksOf(stack: Stack): number {
  return processes.reduce((sum, name) => {
    const stat = readFileSync(`/proc/${stack.pid(name)}/stat`, 'utf8');
    // The name in parentheses may hold spaces; user and system time are 14th and 15th.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return sum + Number(fields[11]) + Number(fields[12]);
  }, 0);
}

function rssMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)![1]) / 1024;
}

/** What came in each of so many samples, by operation; without those of which none came. */
async function requestsOver(stack: Stack, samples: number): Promise<Map<string, number[]>> {
  const begin = performance.now();
  const seen = [await requests(stack)];
  for (let sample = 1; sample <= samples; sample += 1) {
    await sleep(begin + sample * SAMPLE_SECONDS * 1000 - performance.now());
    seen.push(await requests(stack));
  }
  const counts = (name: string) =>
    seen.slice(1).map((now, at) => (now.get(name) ?? 0) - (seen[at]!.get(name) ?? 0));
  const all = [...seen.at(-1)!.keys()].map((name): [string, number[]] => [name, counts(name)]);
  return new Map(all.filter(([, some]) => some.some((count) => count > 0)));
}

/** By the dev server's own count of what its frontend was asked; it tells where it counts in its log. */
async function requests({ home }: Stack): Promise<Map<string, number>> {
  const log = readFileSync(join(homePaths(home).logs, 'engine.log'), 'utf8');
  const port = /^Temporal Metrics:\s+http:\/\/[^:]+:(\d+)\//m.exec(log)![1]!;
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const found = new Map<string, number>();
  for (const line of text.split('\n')) {
    if (!line.startsWith('service_requests{')) continue;
    if (!line.includes('service_name="frontend"')) continue;
    const operation = /operation="([^"]+)"/.exec(line)![1]!;
    found.set(operation, (found.get(operation) ?? 0) + Number(line.split(' ').at(-1)));
  }
  return found;
}
