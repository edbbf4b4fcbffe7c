/** Parents, their children, and what they are told: the words in which the tests speak of them. */
import type { Callback, SubAgentRecord, Turn } from '../../contract/records.ts';
import { program, type Tools } from './agents.ts';
import { until, type Stack } from './stack.ts';

export interface Family {
  sh(prompt: string, more?: object): Promise<SubAgentRecord>;
  /** A `js` agent with a program of its own. */
  parentOf<D>(
    body: (tools: Tools, data: D) => Promise<void> | void,
    data?: D,
  ): Promise<SubAgentRecord>;
  /** In the order in which they were asked for, once there are so many. */
  childrenOf(parent: SubAgentRecord, count?: number): Promise<SubAgentRecord[]>;
  whenStatus(id: string, status: string): Promise<SubAgentRecord>;
  cancel(id: string): Promise<SubAgentRecord>;
  /** All callbacks of a session, read or not. */
  mailOf(sessionKey: string): Promise<Callback[]>;
  /** What was said in a role, in the session of that invocation. */
  said(id: string, role: Turn['role']): Promise<string[]>;
}

/** Asked for at each use, because a stack is up only when the tests run. */
export function familyOf(stack: () => Stack): Family {
  const call: Stack['client']['call'] = (...given) => stack().client.call(...given);
  return {
    sh: (prompt, more = {}) => stack().start(prompt, { runnerId: 'sh', ...more }),
    parentOf: (body, data) => stack().start(program(body, data), { runnerId: 'js' }),
    async childrenOf(parent, count) {
      const { items } = await until(
        () => call('listSubagents', { parentSessionId: parent.sessionKey }),
        (page) => count === undefined || page.items.length === count,
      );
      return items.toReversed();
    },
    whenStatus: (id, status) =>
      until(
        () => call('getSubagent', { id }),
        (record) => record.status === status,
      ),
    cancel: (id) => call('cancelSubagent', { id }),
    mailOf: async (key) => (await call('getCallbacks', { key, status: 'all' })).callbacks,
    said: async (id, role) =>
      (await stack().transcript(id)).filter((turn) => turn.role === role).map(({ text }) => text),
  };
}

/** The invocations of which a text tells, in its order. */
export const idsIn = (text: string | string[]): string[] =>
  [
    ...[text]
      .flat()
      .join('\n')
      .matchAll(/ invocation="(sub_\w+)"/g),
  ].map(([, id]) => id!);
