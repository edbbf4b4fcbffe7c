/** Ten thousand hooks while the engine is away and the server is killed: what was answered with 200 is there, once. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { agentSessionWorkflowId } from '../../contract/names.ts';
import { readEngineFile } from '../../engine/engine-file.ts';
import { line } from '../operations/hooks/hooks-fixture.ts';
import { isLiving, quickRestarts } from './crash-fixture.ts';
import { heldEngine, type HeldEngine } from './held-engine.ts';
import { rows } from './rows.ts';
import { startStack, until } from './stack.ts';

const inFlight = 50;
const sessionsOfEach = 8;
const hooksOfEach = 25;
const harnesses = ['claude-code', 'codex', 'gemini-cli', 'copilot-cli', 'my-agent'];

let stack: Awaited<ReturnType<typeof startStack>>;
let held: HeldEngine;

beforeAll(async () => {
  held = await heldEngine('hooks');
  stack = await startStack({ timing: quickRestarts, env: held.env });
}, 60_000);
afterAll(() => stack.stop(), 60_000);

interface Session {
  key: string;
  harness: string;
  /** Whether it tells all of its conversation each time, or its last words only. */
  isWhole: boolean;
  said: { role: 'user' | 'assistant'; text: string }[];
}

const sessions = Array.from({ length: inFlight * sessionsOfEach }, (_, index): Session => {
  const said = Array.from({ length: hooksOfEach }, (__, turn) => [
    { role: 'user' as const, text: `session ${index} asks ${turn}` },
    { role: 'assistant' as const, text: `session ${index} is answered ${turn}` },
  ]).flat();
  // After the last prompt nothing tells its answer.
  said.pop();
  const isWhole = index % 3 === 0;
  const harness = isWhole ? 'claude-code' : harnesses[index % harnesses.length]!;
  return { key: `s${index}`, harness, isWhole, said };
});

/** The hook with this prompt: it tells the answer before it, too. */
function hookOf({ key, harness, isWhole, said }: Session, turn: number) {
  const end = 2 * turn + 1;
  const words = isWhole
    ? {
        transcript: said
          .slice(0, end)
          .map(({ role, text }) => line(role, text))
          .join(''),
      }
    : turn > 0 && { lastAssistantMessage: said[end - 2]!.text };
  return {
    harness,
    sessionKey: key,
    userMessage: said[end - 1]!.text,
    ...words,
    idempotencyKey: `${key} ${turn}`,
  };
}

const agent = new Agent({ keepAlive: true, maxSockets: inFlight });

/** The status; 0 where nobody answered. */
function post(body: object): Promise<number> {
  const text = Buffer.from(JSON.stringify(body));
  const headers = {
    authorization: `Bearer ${stack.token}`,
    'content-type': 'application/json',
    'content-length': text.length,
  };
  return new Promise((resolve) => {
    const url = `${stack.url}/api/hooks/user-prompt-submit`;
    const sent = request(url, { method: 'POST', headers, agent }, (response) => {
      response.on('error', () => resolve(0));
      response.on('end', () => resolve(response.statusCode ?? 0));
      response.resume();
    });
    sent.on('error', () => resolve(0));
    sent.end(text);
  });
}

test('of 10,000 hooks with the engine down and the server killed half-way every turn is there once, and every session has its workflow', async () => {
  const engine = stack.pid('engine');
  held.hold();
  stack.kill('engine');
  await until(
    async () => isLiving(engine),
    (lives) => !lives,
  );

  let answered = 0;
  let unanswered = 0;
  const half = (sessions.length * hooksOfEach) / 2;
  const tell = async (session: Session, turn: number) => {
    // Hardly any is committed and not answered when the server dies: the answer of some is taken for lost.
    if (turn % 10 === 3) await post(hookOf(session, turn));
    for (let status = 0; status !== 200;) {
      status = await post(hookOf(session, turn));
      if (status === 200) answered += 1;
      else {
        // Nobody knows whether it was heard: it is told again under its key.
        expect([0, 503]).toContain(status);
        unanswered += 1;
        await sleep(50);
      }
      if (status === 200 && answered === half) stack.kill('server');
    }
  };
  const workers = Array.from({ length: inFlight }, async (_, worker) => {
    const own = sessions.slice(worker * sessionsOfEach, (worker + 1) * sessionsOfEach);
    for (let turn = 0; turn < hooksOfEach; turn += 1) {
      for (const session of own) await tell(session, turn);
    }
  });
  await Promise.all(workers);
  agent.destroy();
  expect(answered).toBe(10_000);
  expect(unanswered).toBeGreaterThan(0);
  const { engine: view } = await stack.client.call('getHealth', {});
  expect(view.connected).toBe(false);

  const kept = new Map(sessions.map(({ key }) => [key, [] as string[]]));
  for (const { key, role, text } of rows<{ key: string; role: string; text: string }>(
    stack.home,
    `SELECT s.session_key AS key, t.role, t.text FROM turns t JOIN sessions s ON s.id = t.session_id
     WHERE t.role <> 'mark' ORDER BY s.id, t.seq`,
  )) {
    kept.get(key)!.push(`${role}: ${text}`);
  }
  for (const { key, said } of sessions) {
    expect([key, kept.get(key)]).toEqual([key, said.map(({ role, text }) => `${role}: ${text}`)]);
  }

  held.release();
  const wanted = sessions.map(({ key }) => agentSessionWorkflowId('default', key)).toSorted();
  await until(
    () => stack.client.call('getHealth', {}),
    (health) => health.engine.connected,
  );
  const connection = await Connection.connect({ address: readEngineFile(stack.home)!.address });
  try {
    const { workflow } = new Client({ connection });
    const listed = async () => {
      const found = new Set<string>();
      const all = workflow.list({ query: "WorkflowType = 'agentSession'" });
      for await (const { workflowId } of all) found.add(workflowId);
      return [...found].toSorted();
    };
    expect(await until(listed, ({ length }) => length >= wanted.length, 90)).toEqual(wanted);
  } finally {
    await connection.close();
  }
}, 180_000);
