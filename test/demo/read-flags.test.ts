import { expect, test } from '@jest/globals';
import { demoUsage, readFlags } from '../../demo/read-flags.ts';

test('the demo takes --keep and --home', () => {
  expect(readFlags([])).toEqual({ keep: false, home: null });
  expect(readFlags(['--keep', '--home', '/h'])).toEqual({ keep: true, home: '/h' });
});

test.each([
  [['--bogus'], "Unknown option '--bogus'."],
  [['bogus'], "Unexpected argument 'bogus'."],
  [['--home'], "Option '--home <value>' argument missing."],
  [['--home='], '--home needs a folder.'],
  [['--keep=1'], "Option '--keep' does not take an argument."],
])('%j is refused in one sentence, with what the demo takes', (args, message) => {
  const refusal = { code: 'bad_request', message, hint: demoUsage };
  expect(() => readFlags(args)).toThrow(expect.objectContaining(refusal));
});
