import { expect, test } from '@jest/globals';
import { digestOf } from '../../domain/digest.ts';

const jwt = `eyJ${'Q'.repeat(40)}.${'Q'.repeat(700)}.${'Q'.repeat(40)}`;

test.each([
  ['prompts', { prompts: [`look at ${jwt}`] }],
  ['the last answer', { lastAnswer: `${'word '.repeat(100)}${jwt}` }],
  ['the summary', { summary: `${'word '.repeat(195)}${jwt}` }],
])('no half of a secret is left where it cuts %s [signet 34]', (_, part) => {
  const none = { summary: null, promptCount: 0, prompts: [], lastAnswer: null };
  const digest = digestOf({ ...none, ...part });
  expect(digest).toContain('[redacted token]');
  expect(digest).not.toContain('QQ');
});
