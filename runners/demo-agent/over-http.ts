import type { OffshootClient } from '../../client/index.ts';
import type { SubAgentRecord } from '../../contract/records.ts';
import type { Child, Offshoot } from './agent.ts';

/** Children by the client library. SYNC waits as long as the child takes. */
export function overHttp(client: OffshootClient, sessionKey: string): Offshoot {
  return {
    run: async ({ title, ...request }, key) => {
      const input = { ...request, ...(title === null ? {} : { title }) };
      return childOf(await client.call('runSubagent', input, { idempotencyKey: key }));
    },
    wait: async (ids, until) => {
      const { done, open } = await client.call('waitSubagents', { ids, until });
      return { done: done.map(childOf), open: open.map(childOf) };
    },
    callbacks: async () => {
      const { callbacks } = await client.call('getCallbacks', { key: sessionKey, status: 'all' });
      return callbacks.map((callback) => callback.envelope);
    },
  };
}

function childOf(record: SubAgentRecord): Child {
  const { id, title, status, error, errorCode } = record;
  return { id, title, status, error, errorCode, answer: record.result?.content ?? null };
}
