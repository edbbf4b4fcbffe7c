/** Every line of a transcript that a real program wrote is in the store as it was written, and stands there once. */
import { expect, test } from '@jest/globals';
import { basename } from 'node:path';
import { captureNames, programOf, readCapture } from '../../support/captures.ts';
import { withHooks } from './hooks-fixture.ts';

const transcripts = captureNames.filter((name) =>
  /\/(transcript|rollout|chat|run|stream)[^/]*\.jsonl$/.test(name),
);

test('there are some of each program that writes one', () => {
  const programs = new Set(transcripts.map(programOf));
  expect([...programs].toSorted()).toEqual([
    'claude-code',
    'codex',
    'copilot-cli',
    'gemini-cli',
    'openclaw',
    'opencode',
  ]);
});

test.each(transcripts)('%s', (name) =>
  withHooks(async (room) => {
    const content = readCapture(name);
    const half = content.slice(0, content.indexOf('\n', content.length / 2) + 1);
    const own = { harness: programOf(name), sessionKey: 's1' };
    // While it grows, when a turn ends, and once more when all ends.
    await room.ask('hookUserPromptSubmit', {
      ...own,
      transcriptPath: room.stage(basename(name), half),
    });
    const transcriptPath = room.stage(basename(name), content);
    await room.ask('hookStop', { ...own, transcriptPath });
    await room.ask('hookSessionEnd', { ...own, transcriptPath });
    const kept = room.store.db.all<{ raw: string }>(
      'SELECT raw FROM turns WHERE raw IS NOT NULL ORDER BY seq',
    );
    expect(kept.map(({ raw }) => raw).join('')).toBe(content);
  }),
);
