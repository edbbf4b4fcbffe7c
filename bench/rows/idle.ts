/** A stack that nobody asks for anything: what it takes of the machine, and what it asks of Temporal. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { homePaths } from '../../contract/home.ts';
import { note, plainFigure, type Figure } from '../figure.ts';
import type { Row } from '../row.ts';
import { untilClosed, withStack, type ProcessName, type Stack } from '../stack.ts';

const MINUTES = 10;
const processes: readonly ProcessName[] = ['engine', 'server', 'host'];
/** USER_HZ, which Linux has kept at this for all programs. */
const TICKS_PER_SECOND = 100;
/** What the engine gets at least once a minute and nobody asked for; polls of workers are the exception. */
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
      const before = { ticks: ticksOf(stack), requests: await requests(stack) };
      await sleep(seconds * 1000);
      const cpu = ((ticksOf(stack) - before.ticks) / TICKS_PER_SECOND / seconds) * 100;
      const asked = minus(await requests(stack), before.requests);
      const rss = processes.reduce((sum, name) => sum + rssMegabytes(stack.pid(name)), 0);
      const lines = `${seconds} s idle`;
      return [
        plainFigure(`${lines}: RSS of engine, server and host`, rss, 'MB', 800),
        plainFigure(`${lines}: CPU of one core`, cpu, '%', 3),
        ...[...asked].map(([name, count]) => requestFigure(name, count, seconds)),
      ];
    }),
};

/**
 * On a timer below a minute, each who asks would ask more often than once a minute. Who asks what more than
 * once: launcher and server whether the engine is well; the server, at each look at the search attributes,
 * six times; every worker of the SDK, the engine's own among them, tells that it is there.
 */
const perMinute: Record<string, number> = {
  GetSystemInfo: 2,
  CountWorkflowExecutions: 6,
  RecordWorkerHeartbeat: 5,
};

function requestFigure(operation: string, count: number, seconds: number): Figure {
  const what = `  Temporal ${operation}`;
  if (isPoll(operation)) return note(what, String(count));
  return plainFigure(what, count, '', Math.ceil(seconds / 60) * (perMinute[operation] ?? 1));
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

function minus(now: Map<string, number>, before: Map<string, number>): Map<string, number> {
  const entries = [...now].map(([name, count]): [string, number] => [
    name,
    count - (before.get(name) ?? 0),
  ]);
  return new Map(entries.filter(([, count]) => count > 0));
}
