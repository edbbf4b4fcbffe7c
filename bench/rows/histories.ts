/** What a workflow leaves in the engine: counts that no noise can change, so a test holds them, too. */
import type { Client } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { plainFigure, type Figure } from '../figure.ts';
import type { Row } from '../row.ts';
import {
  endHolder,
  startHolder,
  untilClosed,
  withStack,
  type Speakers,
  type Stack,
} from '../stack.ts';
import { callbackRunners, runCallbackPair } from './callback-pair.ts';

const MEGABYTE = 1_000_000;
/** Stands in prompt and answer well behind what a title or a summary shows of them. */
export const bodyMark = 'BODY-THAT-STAYS-IN-THE-STORE';

export const bigRunners = {
  big: {
    kind: 'command',
    command: process.execPath,
    args: [
      '-e',
      `process.stdin.resume(); process.stdout.write(('y'.repeat(5000 - ${bodyMark.length}) + '${bodyMark}').repeat(1000))`,
    ],
  },
};
export const bigPrompt = `${'x'.repeat(5000)}${bodyMark}`
  .repeat(MEGABYTE / 5000)
  .slice(0, MEGABYTE);

export interface History {
  events: number;
  bytes: number;
  /** As JSON, payloads decoded. */
  text: string;
}

export const historiesRow: Row = {
  name: 'histories',
  measure: ({ quick }) =>
    withStack({ runners: { ...bigRunners, ...callbackRunners } }, async (stack) => [
      ...(await large(stack)),
      ...(await withCallback(stack)),
      await perChild(stack, quick ? 10 : 50),
    ]),
};

export async function historyOf(engine: Client, workflowId: string): Promise<History> {
  const handle = engine.workflow.getHandle(workflowId);
  const { historySize = 0 } = await handle.describe();
  const history = await handle.fetchHistory();
  const text = historyToJSON(history).replaceAll(/"data":\s*"([^"]*)"/g, (_, data: string) =>
    Buffer.from(data, 'base64').toString('utf8'),
  );
  return { events: history.events?.length ?? 0, bytes: historySize, text };
}

async function large(stack: Stack): Promise<Figure[]> {
  const record = await stack.client.call('runSubagent', {
    ...{ runnerId: 'big', prompt: bigPrompt, executionMode: 'SYNC' as const },
  });
  if (record.result?.content.length !== 5 * MEGABYTE) throw new Error('the answer is not 5 MB');
  await untilClosed(stack, record);
  const { events, bytes, text } = await historyOf(stack.engine, record.workflowId);
  return [
    plainFigure('history, SYNC, 1 MB prompt, 5 MB result: events', events, '', 18),
    plainFigure('  its bytes', bytes, '', 6000),
    plainFigure('  body text in it', text.split(bodyMark).length - 1, '', 0),
  ];
}

async function withCallback(stack: Stack): Promise<Figure[]> {
  const { parent } = await runCallbackPair(stack);
  await untilClosed(stack, parent);
  const { events, bytes } = await historyOf(stack.engine, parent.workflowId);
  return [
    plainFigure('history with one callback child: events', events, '', 44),
    plainFigure('  its bytes', bytes, '', 10_000),
  ];
}

/** The same parent with and without them, ended in the same way. */
async function perChild(stack: Stack, count: number): Promise<Figure> {
  const lone = await parentOf(stack, 0);
  const full = await parentOf(stack, count);
  return plainFigure(
    `events that a child adds to its parent's, over ${count}`,
    (full - lone) / count,
    '',
    6,
  );
}

async function parentOf(stack: Speakers, count: number): Promise<number> {
  const { client, engine } = stack;
  const parent = await startHolder(stack);
  const asked = { runnerId: 'echo', prompt: 'x', executionMode: 'ASYNC_POLL' as const };
  const children = await Promise.all(
    Array.from({ length: count }, () =>
      client.call('runSubagent', { ...asked, parentSessionId: parent.sessionKey }),
    ),
  );
  if (count > 0) await untilClosed(stack, ...children);
  await endHolder(stack, parent);
  return (await historyOf(engine, parent.workflowId)).events;
}
