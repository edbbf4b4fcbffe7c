/** How long the stack takes to come up, and to be of use again after `kill -9` of one of its processes. */
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { isFinal } from '../../contract/words.ts';
import type { SubAgentRecord } from '../../contract/records.ts';
import { timed } from '../alternate.ts';
import { plainFigure, type Figure } from '../figure.ts';
import type { Row } from '../row.ts';
import {
  get,
  post,
  runStack,
  startHolder,
  until,
  withHome,
  withStack,
  type Stack,
} from '../stack.ts';

const cli = fileURLToPath(new URL('../../../bin/offshoot.mjs', import.meta.url));
/** After a kill, so that the launcher's pause before the next start is the short one again (`steadyMs`). */
const REST_MS = 2000;

export const recoveryRow: Row = {
  name: 'recovery',
  measure: async ({ quick }) => {
    const rounds = quick ? 1 : 5;
    return [
      worst('offshoot up --detach, warm', await repeat(rounds, upWarm), 15),
      ...(await withStack({}, async (stack) => [
        worst('kill -9 server: first accepted', await repeat(rounds, () => server(stack)), 2),
        worst('kill -9 engine: first step', await repeat(rounds, () => engine(stack)), 3),
        worst('kill -9 host: lost run settled', await repeat(rounds, () => host(stack)), 8),
      ])),
    ];
  },
};

function worst(what: string, times: number[], seconds: number): Figure {
  return plainFigure(`${what}, worst of ${times.length}`, Math.max(...times) / 1000, 's', seconds);
}

async function repeat(rounds: number, once: () => Promise<number>): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    times.push(await once());
    await sleep(REST_MS);
  }
  return times;
}

/** As people start it, on a home that was up before. */
function upWarm(): Promise<number> {
  return withHome({}, async (home) => {
    await runStack(home, async () => {});
    const offshoot = (...args: string[]) =>
      promisify(execFile)(process.execPath, [cli, ...args], {
        env: { ...process.env, OFFSHOOT_HOME: home },
      });
    try {
      return await timed(() => offshoot('up', '--detach'));
    } finally {
      await offshoot('down');
    }
  });
}

async function server(stack: Stack): Promise<number> {
  process.kill(stack.pid('server'), 'SIGKILL');
  return timed(() => accepted(stack));
}

/** Its program needs no engine, so it is its workflow that is waited for: to its close, which is more than a step. */
async function engine(stack: Stack): Promise<number> {
  process.kill(stack.pid('engine'), 'SIGKILL');
  return timed(async () => {
    const { workflowId } = await accepted(stack);
    const handle = stack.engine.workflow.getHandle(workflowId);
    const look = () => handle.describe().catch(() => null);
    await until(look, (told) => told?.status.name === 'COMPLETED');
  });
}

async function host(stack: Stack): Promise<number> {
  const { id } = await startHolder(stack);
  process.kill(stack.pid('host'), 'SIGKILL');
  return timed(() => seen(stack, id, ({ status }) => isFinal(status)));
}

async function accepted({ server: to }: Stack): Promise<SubAgentRecord> {
  const body = { runnerId: 'echo', prompt: 'x', executionMode: 'ASYNC_POLL' };
  const ask = () => post(to, '/api/subagents', body).catch(() => null);
  return (await until(ask, (answer) => answer !== null)) as SubAgentRecord;
}

function seen(
  { server: from }: Stack,
  id: string,
  isWanted: (record: SubAgentRecord) => boolean,
): Promise<unknown> {
  const ask = async () => (await get(from, `/api/subagents/${id}`)) as SubAgentRecord;
  return until(ask, isWanted);
}
