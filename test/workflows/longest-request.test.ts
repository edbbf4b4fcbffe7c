/**
 * What would poison its owner's workflow task never gets that far: the engine takes the longest request
 * that we accept, and a namespace that lacks our search attributes is not sent them. A task that fails
 * is repeated for ever, and everything else of its owner waits behind it.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { limits } from '../../contract/limits.ts';
import { registerSessionSchema } from '../../contract/session-requests.ts';
import { agentSessionWorkflowId, searchAttributes } from '../../contract/names.ts';
import {
  addAttributes,
  createNamespace,
  TEXT,
  whenThere,
  withConnection,
} from '../support/test-namespace.ts';
import { until } from '../e2e/stack.ts';
import { withHome, type Home } from './with-home.ts';

/** Temporal's own bound for a workflow id, in bytes. */
const engineIdBytesMax = 1000;
/** Of three bytes each, which is the most that one UTF-16 unit can take; and of four, which are two. */
const characters = { three: '漢', four: '𝒳' };
const asLong = (character: string, units: number) => character.repeat(units / character.length);

/** Different for each test, and as long as a key may be: in characters, or in bytes. */
function longestKey(character: string): string {
  const mark = randomUUID().slice(0, 8);
  const bytes = Buffer.byteLength(character);
  const most = Math.min(
    Math.floor((limits.keyCharsMax - mark.length) / character.length),
    Math.floor((limits.keyBytesMax - mark.length) / bytes),
  );
  return mark + character.repeat(most);
}

/** Of a summary, on clusters that say so; this dev server does not look. */
const engineSummaryBytesMax = 400;
/** A task that a message has overtaken is done again: no trouble. UNHANDLED_COMMAND. */
const overtaken = 1;

/** Workflow tasks that failed, in the histories of these. */
async function failedTasks({ client }: Home, ids: string[]): Promise<string[]> {
  const histories = await Promise.all(
    ids.map((id) => client.workflow.getHandle(id).fetchHistory()),
  );
  return histories.flatMap(({ events }, index) =>
    (events ?? [])
      .flatMap(({ workflowTaskFailedEventAttributes: failed }) => failed ?? [])
      .filter(({ cause }) => Number(cause) !== overtaken)
      .map(({ cause, failure }) => `${ids[index]}: ${cause}: ${failure?.message}`),
  );
}

const play = async () => 'done';
const untilAborted = (signal: AbortSignal) =>
  new Promise<string>((resolve) => {
    signal.addEventListener('abort', () => resolve('too late'), { once: true });
  });

test.each(Object.entries(characters))(
  'the longest names that are accepted, in characters of %s bytes, start and end like any other',
  async (_, character) => {
    await withHome(play, async (home) => {
      const long = (units: number) => asLong(character, units);
      const agentId = longestKey(character);
      const key = longestKey(character);
      const title = long(limits.titleCharsMax);
      const deep = join(home.workspace, ...Array<string>(3).fill(long(80)));
      mkdirSync(deep, { recursive: true });
      const session = { key, agentId, title, harness: longestKey(character) };
      await home.ask('registerSession', { ...session, project: `/${long(4094)}` });
      expect(Buffer.byteLength(agentSessionWorkflowId(agentId, key))).toBeLessThanOrEqual(
        engineIdBytesMax,
      );
      const context = { workspacePath: deep, specId: longestKey(character) };
      const asked = { agentId, parentSessionId: key, title, context };
      const child = await home.start({ ...asked, prompt: long(100_000) });
      await home.untilStatus(child.id, 'completed');
      const root = await home.start({ agentId, title, context, prompt: long(100_000) });
      await home.untilStatus(root.id, 'completed');
      for (const { id } of [child, root]) await home.untilBegun(id);
      const workflows = [agentSessionWorkflowId(agentId, key), child.workflowId, root.workflowId];
      expect(await failedTasks(home, workflows)).toEqual([]);
      for (const id of workflows) {
        const told = await home.client.workflow.getHandle(id).describe();
        const summary = await told.staticSummary();
        expect(Buffer.byteLength(summary!)).toBeLessThanOrEqual(engineSummaryBytesMax);
      }
      const { parentExecution } = await home.client.workflow.getHandle(child.workflowId).describe();
      expect(parentExecution?.workflowId).toBe(workflows[0]);
    });
  },
  60_000,
);

test('300 children, each with the longest names, asked for at once: all are started', async () => {
  // Named in one answer they would be more than the engine takes of one.
  const count = 300;
  const options = { slots: 20, limits: { maxChildren: count } };
  await withHome(
    play,
    async (home) => {
      const key = longestKey(characters.three);
      const title = asLong(characters.three, limits.titleCharsMax);
      const deep = join(home.workspace, ...Array<string>(3).fill(characters.three.repeat(80)));
      mkdirSync(deep, { recursive: true });
      await home.ask('registerSession', { key });
      const context = { workspacePath: deep, specId: longestKey(characters.three) };
      const asked = { parentSessionId: key, title, context, prompt: 'x' };
      const ids: string[] = [];
      await home.unlinked(async () => {
        for (let n = 0; n < count; n += 1) ids.push((await home.start(asked)).id);
      });
      const session = agentSessionWorkflowId('default', key);
      const query = `${searchAttributes.parentSession} = '${key}'`;
      const started = () => home.client.workflow.count(query);
      await until(started, (found) => found.count === ids.length, 200);
      expect(await failedTasks(home, [session])).toEqual([]);
    },
    options,
  );
}, 260_000);

test('a key that would make a longer workflow id is refused, by its bytes', () => {
  const parse = (key: string) => registerSessionSchema.safeParse({ key });
  const refused = parse(asLong(characters.three, limits.keyCharsMax));
  expect(refused.error?.issues[0]?.message).toBe(
    `must not be longer than ${limits.keyBytesMax} bytes`,
  );
  expect(parse(longestKey(characters.three)).success).toBe(true);
  expect(parse(asLong(characters.four, limits.keyCharsMax)).success).toBe(true);
});

test('a namespace without our search attributes is worked with: they are left out, all else is there', async () => {
  const namespace = await namespaceOfOthers();
  await withHome(
    play,
    async (home) => {
      await home.ask('registerSession', { key: 'boss' });
      const child = await home.start({ parentSessionId: 'boss', title: 'Look it up' });
      await home.untilStatus(child.id, 'completed');
      await home.untilBegun(child.id);
      const told = await home.client.workflow.getHandle(child.workflowId).describe();
      const attributes = Object.keys(told.searchAttributes);
      expect(attributes).toContain(searchAttributes.mode);
      expect(attributes).not.toContain(searchAttributes.title);
      expect(attributes).not.toContain(searchAttributes.status);
      expect(told.memo).toMatchObject({ title: 'Look it up' });
      const session = agentSessionWorkflowId('default', 'boss');
      expect(await failedTasks(home, [session, child.workflowId])).toEqual([]);
    },
    { namespace },
  );
}, 60_000);

test('what the engine refuses all the same ends as engine_rejected, is told to its parent, and what comes next begins', async () => {
  const namespace = await namespaceOfOthers();
  await withHome(
    // Refused or not, it is at work already: what it says before that counts.
    async ({ prompt }, signal) => (prompt === 'hang' ? untilAborted(signal) : 'done'),
    async (home) => {
      await home.ask('registerSession', { key: 'boss' });
      const before = await home.start();
      await home.untilBegun(before.id);
      // Somebody takes an attribute away while we send it: from here on no start is taken that carries it.
      await withConnection(async ({ operatorService, workflowService }) => {
        const name = searchAttributes.rootSession;
        await operatorService.removeSearchAttributes({ namespace, searchAttributes: [name] });
        await whenThere(async () => {
          const query = `${name} = 'x'`;
          const asked = workflowService.countWorkflowExecutions({ namespace, query });
          await expect(asked).rejects.toMatchObject({ code: 3 });
        });
      });
      const root = await home.start({ prompt: 'hang' });
      const child = await home.start({
        executionMode: 'ASYNC_CALLBACK',
        parentSessionId: 'boss',
        prompt: 'hang',
      });
      for (const { id } of [root, child]) {
        await home.untilStatus(id, 'failed');
        expect(await home.get(id)).toMatchObject({
          errorCode: 'engine_rejected',
          error: expect.stringContaining(searchAttributes.rootSession),
        });
      }
      expect(await home.callbacks('boss')).toMatchObject([{ status: 'failed' }]);
      // Another connection learns what there is now.
      await home.relink(0);
      const next = await home.start({ parentSessionId: 'boss' });
      await home.untilStatus(next.id, 'completed');
      await home.untilBegun(next.id);
    },
    { namespace },
  );
}, 60_000);

/** Somebody else has taken two of our names for attributes of another type: those we can never have. */
async function namespaceOfOthers(): Promise<string> {
  let namespace = '';
  await withConnection(async (connection) => {
    namespace = await createNamespace(connection);
    const taken = { [searchAttributes.title]: TEXT, [searchAttributes.status]: TEXT };
    await addAttributes(connection, namespace, taken);
  });
  return namespace;
}
