/** A stack from the armed build, in which one death at a time can be ordered. */
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient, type OffshootClient } from '../../client/index.ts';
import type { FaultPoint } from '../../faults/points.ts';
import { agentFile } from '../e2e/agents.ts';
import { quickRestarts, type Name } from '../e2e/crash-fixture.ts';
import { startStack, type Stack } from '../e2e/stack.ts';
import { faultBuild } from './fault-build.ts';

export interface Fault {
  point: FaultPoint;
  /** Which passage of the point it is, counted in each process from here on. */
  nth: number;
  kill: Name[];
}

export interface Death {
  at: number;
  /** In the order in which they were named; null for who was not there to be killed. */
  pids: (number | null)[];
}

export interface FaultStack extends Stack {
  /** Asks once: while the server is away a test looks again sooner than a user would. */
  impatient: OffshootClient;
  /** Orders a death. The answer tells of it when it has come; null while it has not. */
  arm(fault: Fault): () => Death | null;
  /** Nobody dies of what was ordered last and has not come. */
  disarm(): void;
  /** How often each point was passed since the stack was started. */
  reached(): Map<string, number>;
}

const node = { kind: 'command', command: process.execPath, args: [agentFile('family')] } as const;
const leaf = { kind: 'command', command: 'sh', args: ['-s'] } as const;

/** Programs that may be repeated, and programs that may not. */
const config = {
  runners: {
    node: { ...node, turns: true },
    'node-again': { ...node, turns: true, onLost: 'rerun' },
    leaf,
    'leaf-again': { ...leaf, onLost: 'rerun' },
  },
  limits: { slots: 8, killGraceSeconds: 1, sessionIdleSeconds: 1 },
};

export async function startFaultStack(): Promise<FaultStack & { stop(): Promise<void> }> {
  const entry = await faultBuild();
  const stack = await startStack({ config, timing: quickRestarts, entry });
  const inHome = (name: string) => join(stack.home, name);
  let armed = 0;
  return {
    ...stack,
    impatient: createClient({ url: stack.url, token: stack.token, retryMs: 0 }),
    arm(fault) {
      const id = (armed += 1);
      writeFileSync(inHome('fault.json'), JSON.stringify({ id, ...fault }));
      return () => deathIn(inHome(`killed-${id}.json`));
    },
    disarm: () => rmSync(inHome('fault.json'), { force: true }),
    reached() {
      const found = new Map<string, number>();
      for (const point of readFileSync(inHome('reached.log'), 'utf8').trim().split('\n')) {
        found.set(point, (found.get(point) ?? 0) + 1);
      }
      return found;
    },
  };
}

function deathIn(file: string): Death | null {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (!stat) return null;
  return { at: stat.ctimeMs, pids: JSON.parse(readFileSync(file, 'utf8')) as Death['pids'] };
}
