/** What a workflow leaves in the engine: counts that no noise can change, so a test holds them, too. */
import type { Client } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { limits } from '../../contract/limits.ts';
import { searchAttributes } from '../../contract/names.ts';
import type { SubAgentRecord } from '../../contract/records.ts';
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

/** A text of pieces that say where they stand, so that each is known again. Goes into a program as it is. */
const numbered = (mark: string, bytes: number): string =>
  Array.from({ length: bytes / 10 }, (_, n) => `${mark}${String(n * 10).padStart(8, '0')}-`).join(
    '',
  );

export const bigRunners = {
  big: {
    kind: 'command',
    command: process.execPath,
    args: [
      '-e',
      `process.stdin.resume(); process.stdout.write((${String(numbered)})('a', ${5 * MEGABYTE}))`,
    ],
  },
};
export const bigPrompt = numbered('p', MEGABYTE);

/** What may enter of a text, for Temporal UI to show (ADR 0002): of a prompt only where no title is given. */
export const shownCharsMax = { prompt: limits.summaryCharsMax - 40, answer: 200 };

/** How far into prompt and answer a history goes: the end of the last piece that is in it, from wherever. */
export function farthest(history: History): { prompt: number; answer: number } {
  const end = (mark: string) =>
    [...history.text.matchAll(new RegExp(`${mark}(\\d{8})-`, 'g'))]
      .map(([, at]) => Number(at) + 10)
      .reduce((most, one) => Math.max(most, one), 0);
  return { prompt: end('p'), answer: end('a') };
}

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
  const titled = await runLarge(stack, titleMax);
  const { prompt, answer } = farthest(await runLarge(stack, null));
  return [
    plainFigure('history, SYNC, 1 MB prompt, 5 MB result: events', titled.events, '', 18),
    plainFigure('  its bytes', titled.bytes, '', 6000),
    plainFigure('  details and attributes that are not in it', titled.lacks.length, '', 0),
    plainFigure('  characters of the prompt in it', farthest(titled).prompt, '', 0),
    plainFigure('  the same without a title', prompt, '', shownCharsMax.prompt),
    plainFigure('  characters of the answer in it', answer, '', shownCharsMax.answer),
  ];
}

/** As long as it may be. */
export const titleMax = 'title '.repeat(limits.titleCharsMax / 6).trim();

/** With all that Temporal UI can show: an owner, a spec, and a title or none. */
export async function runLarge(
  stack: Speakers,
  title: string | null,
): Promise<History & { lacks: string[] }> {
  const owner = await startHolder(stack);
  const record = await stack.client.call('runSubagent', {
    ...{ runnerId: 'big', prompt: bigPrompt, executionMode: 'SYNC' as const },
    ...{ parentSessionId: owner.sessionKey, context: { specId: 'spec-1' } },
    ...(title !== null && { title }),
  });
  if (record.result?.content !== numbered('a', 5 * MEGABYTE)) throw new Error('not the 5 MB');
  await untilClosed(stack, record);
  const history = await historyOf(stack.engine, record.workflowId);
  const lacks = await lacking(stack.engine, record, { ...history, owner });
  await endHolder(stack, owner);
  return { ...history, lacks };
}

/** Which of details and attributes are not as they should be, in the history and in what the engine tells. */
async function lacking(
  engine: Client,
  { title, ...record }: SubAgentRecord,
  { text, owner }: { text: string; owner: SubAgentRecord },
): Promise<string[]> {
  const handle = engine.workflow.getHandle(record.workflowId);
  const { searchAttributes: attributes } = await handle.describe();
  const now = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
  const shown = title ?? '';
  const isThere: Record<string, boolean> = {
    'static summary': text.includes(`big · SYNC · ${shown.slice(0, 50)}`),
    'static details': [
      ...[`| Task | ${shown}`, `| Asked by | stay (${owner.id})`, '| Mode | SYNC |'],
      ...['| Runner | big |', '| Depth | 1 |', '| Spec | spec-1 |'],
    ].every((line) => text.includes(line)),
    'current details': now.currentDetails === '**completed**',
  };
  const wanted = {
    [searchAttributes.title]: shown,
    [searchAttributes.rootSession]: owner.sessionKey,
    [searchAttributes.parentSession]: owner.sessionKey,
    [searchAttributes.mode]: 'SYNC',
    [searchAttributes.runner]: 'big',
    [searchAttributes.status]: 'completed',
  };
  for (const [name, value] of Object.entries(wanted)) {
    const [told] = (attributes[name] ?? []) as string[];
    isThere[name] = text.includes(name) && told !== undefined && told.startsWith(value);
  }
  return Object.keys(isThere).filter((name) => !isThere[name]);
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
