import { expect, test } from '@jest/globals';
import { createClient } from '../../client/client.ts';
import { answerJson, recordOf, runningRecord, withFakeServer } from './fake-server.ts';

const token = 'off_test';

test('what one answer of a wait has no room for is fetched as well, and waited for if it is open', async () => {
  const answers = [
    { done: [recordOf({ id: 'sub_1' })], open: [], more: ['sub_2', 'sub_3'] },
    { done: [recordOf({ id: 'sub_2' })], open: [], more: ['sub_3'] },
    { done: [], open: [runningRecord({ id: 'sub_3' })], more: [] },
    { done: ['sub_1', 'sub_2', 'sub_3'].map((id) => recordOf({ id })), open: [], more: [] },
  ];
  await withFakeServer(
    (_, response) => answerJson(response, answers.shift()),
    async ({ url, seen }) => {
      const asked = ['sub_1', 'sub_2', 'sub_3'];
      const client = createClient({ url, token });
      const { done, open, more } = await client.call('waitSubagents', { ids: asked });
      expect([done.map(({ id }) => id), open, more]).toEqual([asked, [], []]);
      expect(seen.map(({ body }) => body?.['ids'])).toEqual([
        asked,
        ['sub_2', 'sub_3'],
        ['sub_3'],
        asked,
      ]);
    },
  );
});
