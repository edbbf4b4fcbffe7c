import { setImmediate as soon } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { FromThread } from '../../search/messages.ts';
import type { Searcher } from '../../search/searcher.ts';
import { serve } from '../../search/serve.ts';

const scope = { agentId: 'a', project: null, sessionIds: null, rootId: null, withoutId: null };
const request = { query: 'x', scope, limit: 1, bySession: false };

/** One that needs so many steps until it is whole, and so many until all is done. */
function withSteps(stepsToWhole: number, stepsToEnd: number) {
  const told: string[] = [];
  const opened: number[] = [];
  let steps = 0;
  const searcher: Searcher = {
    step() {
      steps += 1;
      return steps < stepsToEnd;
    },
    isWhole: () => steps >= stepsToWhole,
    search() {
      told.push(`asked after ${steps}`);
      return [];
    },
    changesSeen: () => 0,
    close: () => told.push('closed'),
  };
  const hear = serve(
    () => {
      opened.push(steps);
      return searcher;
    },
    (message: FromThread) => told.push(message.kind),
  );
  return { hear, told, opened, steps: () => steps };
}

const rest = async () => {
  for (let n = 0; n < 20; n += 1) await soon();
};

test('who searches waits until the index is whole, and not until its pieces are merged', async () => {
  const { hear, told, steps } = withSteps(3, 6);
  hear({ kind: 'search', id: 1, request });
  await rest();
  expect(told.filter((one) => one !== 'alive')).toEqual(['asked after 3', 'hits']);
  expect(steps()).toBe(6);
});

test('its end is its end, also in the middle of long work', async () => {
  const { hear, told, opened, steps } = withSteps(1, Infinity);
  hear({ kind: 'index' });
  await soon();
  await soon();
  hear({ kind: 'end' });
  const last = steps();
  await rest();
  expect(steps()).toBe(last);
  expect(opened).toHaveLength(1);
  expect(told.at(-1)).toBe('closed');
});
