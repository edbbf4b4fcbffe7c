/**
 * What real programs wrote into their transcripts when a hook of ours had told them a callback: the sign that it was
 * taken. Mostly it stands in lines that nobody said, whose turns are marks without words.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { readCapture } from '../../support/captures.ts';
import { withHooks } from './hooks-fixture.ts';

interface Told {
  program: string;
  /** At which hook it was told. */
  hook: 'user-prompt-submit' | 'stop';
  /** As the program wrote it, but for the callback's id, which is `cb_TOLD`. */
  line: string;
}

const told = readFileSync(new URL('../../fixtures/told-callbacks.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Told);

const conversations: Record<string, string> = {
  'claude-code': 'claude-code/transcript-main.jsonl',
  codex: 'codex/rollout-main.jsonl',
  'gemini-cli': 'gemini-cli/chat-main.jsonl',
  'copilot-cli': 'copilot-cli/transcript-events.jsonl',
};

test('there are some of each program, of prompts and of stops', () => {
  const kinds = new Set(told.map(({ program, hook }) => `${program} ${hook}`));
  expect(kinds.size).toBe(2 * Object.keys(conversations).length);
});

test.each(told.map((one) => [one.program, one.hook, one] as const))(
  '%s has taken what it was told at %s where its transcript has the id, whoever speaks there',
  (harness, hook, { line }) =>
    withHooks(async (room) => {
      const said = readCapture(conversations[harness]!);
      const hookOf = (more: object) => ({ harness, sessionKey: 'main', ...more });
      await room.ask('hookSessionStart', hookOf({ transcript: said }));
      const asked = { executionMode: 'ASYNC_CALLBACK', parentSessionId: 'main' } as const;
      const { id } = await room.start(asked);
      await room.host.play(id, 'the answer');
      const offer = (transcript: string) =>
        hook === 'stop'
          ? room.ask('hookStop', hookOf({ transcript }))
          : room.ask('hookUserPromptSubmit', hookOf({ transcript, userMessage: 'go on' }));
      expect((await offer(said)).inject).toContain('the answer');

      const other = `${said}${line.replaceAll('TOLD', 'another')}\n`;
      expect((await offer(other)).inject).toContain('repeat="true"');
      const taken = `${other}${line.replaceAll('cb_TOLD', id.replace('sub_', 'cb_'))}\n`;
      expect((await offer(taken)).inject).toBe('');
      expect((await room.callbacks('main')).map(({ state }) => state)).toEqual(['delivered']);
    }),
);
