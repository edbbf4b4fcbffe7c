/** What Temporal UI shows of sessions that agent programs report: where each stands, and what is open below it. */
import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { agentSessionWorkflowId } from '../../contract/names.ts';
import { until } from '../e2e/stack.ts';
import { withHome, type Home } from './with-home.ts';

const harness = 'claude-code';
const workflowOf = ({ client }: Home, key: string) =>
  client.workflow.getHandle(agentSessionWorkflowId('default', key));

const prompt = (home: Home, sessionKey: string) =>
  home.ask('hookUserPromptSubmit', { harness, sessionKey, userMessage: 'hi' });
const start = (home: Home, sessionKey: string, parentSessionKey: string) =>
  home.ask('hookSessionStart', { harness, sessionKey, parentSessionKey });

/** Root and parent, as they are to be found by. */
async function placeOf(home: Home, key: string) {
  const { searchAttributes: shown } = await workflowOf(home, key).describe();
  const [root, parent] = [shown['OffshootRootSession'], shown['OffshootParentSession']];
  return [root?.[0] ?? null, parent?.[0] ?? null];
}

async function detailsOf(home: Home, key: string): Promise<string> {
  const told = await workflowOf(home, key).query<{ currentDetails: string }>(
    '__temporal_workflow_metadata',
  );
  return told.currentDetails;
}

/** The workflow begins, and asks, a moment after the hook was answered. */
const untilShown = <T>(look: () => Promise<T>, wanted: T) =>
  until(
    () => look().catch(() => null),
    (found) => JSON.stringify(found) === JSON.stringify(wanted),
  );

const upserts = async (home: Home, key: string) =>
  (await workflowOf(home, key).fetchHistory()).events!.filter(
    (event) => event.upsertWorkflowSearchAttributesEventAttributes,
  ).length;

test('a sub-agent that its program reports shows root and parent, and its parent that it is open', async () => {
  await withHome(
    async () => '',
    async (home) => {
      const root = `root-${randomUUID()}`;
      await prompt(home, root);
      const sub = { harness, sessionKey: root };
      const first = { ...sub, harnessAgentId: 'a1' };
      const { sessionKey: child } = await home.ask('hookSubagentStart', first);
      const second = { ...sub, harnessAgentId: 'a2', parentHarnessAgentId: 'a1' };
      const { sessionKey: grandchild } = await home.ask('hookSubagentStart', second);
      await untilShown(() => placeOf(home, child!), [root, root]);
      await untilShown(() => placeOf(home, grandchild!), [root, child]);
      expect(await placeOf(home, root)).toEqual([root, null]);
      const name = (key: string) => `**${key}** · claude-code · `;
      await untilShown(() => detailsOf(home, root), `${name(root)}1 open`);
      const below = `1 open · below \`${root}\` (subagent_start)`;
      await untilShown(() => detailsOf(home, child!), `${name(child!)}${below}`);
      await home.ask('hookSubagentStop', second);
      await home.ask('hookSubagentStop', first);
      await untilShown(() => detailsOf(home, root), `${name(root)}0 open`);
      // It goes on after all.
      await prompt(home, child!);
      await untilShown(() => detailsOf(home, root), `${name(root)}1 open`);
      for (const key of [root, child!, grandchild!]) expect(await upserts(home, key)).toBe(0);
    },
  );
}, 60_000);

test('a parent that becomes known late is shown then, also as the root of what stands below', async () => {
  await withHome(
    async () => '',
    async (home) => {
      const [top, middle, low] = [randomUUID(), randomUUID(), randomUUID()];
      for (const key of [top, middle]) await prompt(home, key);
      await start(home, low, middle);
      await untilShown(() => placeOf(home, low), [middle, middle]);
      await untilShown(() => placeOf(home, middle), [middle, null]);
      // They have asked, and nothing is under way to them any more.
      const below = `**${low}** · claude-code · 0 open · below \`${middle}\` (explicit)`;
      await untilShown(() => detailsOf(home, low), below);
      await untilShown(() => detailsOf(home, middle), `**${middle}** · claude-code · 1 open`);
      await untilShown(async () => home.count('outbox'), 0);
      const { runId } = await workflowOf(home, middle).describe();
      await start(home, middle, top);
      await untilShown(() => placeOf(home, middle), [top, top]);
      await untilShown(() => placeOf(home, low), [top, middle]);
      await untilShown(() => detailsOf(home, top), `**${top}** · claude-code · 1 open`);
      expect((await workflowOf(home, middle).describe()).runId).toBe(runId);
      // Once, and not again with each message.
      await home.ask('hookSessionEnd', { harness, sessionKey: middle });
      await untilShown(() => detailsOf(home, top), `**${top}** · claude-code · 0 open`);
      for (const key of [middle, low]) expect(await upserts(home, key)).toBe(1);
    },
  );
}, 60_000);
