/** A parent that has ended its turn, and the child whose callback begins its next one. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SubAgentRecord } from '../../contract/records.ts';
import { until, type Stack } from '../stack.ts';

const untilFile = (file: string) => `until [ -e ${file} ]; do sleep 0.01; done`;
/** The programs tell the time themselves: both sides spawn the same ones. */
export const tellTime = 'exec date +%s%N';

export const callbackRunners = {
  parent: {
    ...{ kind: 'command', command: 'sh', turns: true },
    args: [
      '-c',
      `if [ "$OFFSHOOT_TURN" = 1 ]; then ${untilFile('asked')}; echo asked; else ${tellTime}; fi`,
    ],
  },
  child: { kind: 'command', command: 'sh', args: ['-c', `${untilFile('go')}; ${tellTime}`] },
};

/** So that what came before has settled; on both sides. */
export const SETTLE_MS = 100;

export interface CallbackPair {
  parent: SubAgentRecord;
  /** From the child's last act to the first one of its parent's next turn. */
  ms: number;
}

export async function runCallbackPair({ client }: Pick<Stack, 'client'>): Promise<CallbackPair> {
  const parent = await client.call('runSubagent', {
    ...{ runnerId: 'parent', prompt: 'x', executionMode: 'ASYNC_POLL' },
  });
  const { workspacePath } = parent.context;
  const seen = (id: string) => () => client.call('getSubagent', { id });
  await until(seen(parent.id), ({ status }) => status === 'running');
  const child = await client.call('runSubagent', {
    ...{ runnerId: 'child', prompt: 'x', executionMode: 'ASYNC_CALLBACK' },
    parentSessionId: parent.sessionKey,
  });
  // First the child, then the end of the turn: both at once would leave more in the history by chance.
  await until(seen(child.id), ({ status }) => status === 'running');
  writeFileSync(join(workspacePath, 'asked'), '');
  await until(seen(parent.id), ({ status }) => status === 'waiting');
  await sleep(SETTLE_MS);
  writeFileSync(join(workspacePath, 'go'), '');
  // One long poll: to ask again and again would be a load on one side only.
  const { done } = await client.call('waitSubagents', { ids: [parent.id, child.id], until: 'all' });
  const ended = done.find(({ id }) => id === parent.id)!;
  const exited = done.find(({ id }) => id === child.id)!;
  const ms = (Number(ended.result?.content) - Number(exited.result?.content)) / 1e6;
  if (!(ms > 0)) throw new Error(`the callback pair ended as ${ended.status}: ${ended.error}`);
  return { parent: ended, ms };
}
