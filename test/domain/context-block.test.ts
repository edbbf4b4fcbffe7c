import { expect, test } from '@jest/globals';
import { limits } from '../../contract/limits.ts';
import {
  constraintLine,
  renderContextBlock,
  tailOf,
  type BlockParts,
} from '../../domain/context-block.ts';

const nothing: BlockParts = {
  sessionKey: 'P',
  title: null,
  checkpoint: null,
  tail: null,
  entities: [],
  constraints: [],
};
const said = (...texts: string[]) =>
  texts.map((text, at) => ({ seq: at + 1, role: at % 2 ? 'assistant' : 'user', text }));

test('all four parts stand in the order of the template, those of others indented [signet 28]', () => {
  const block = renderContextBlock({
    sessionKey: 'P',
    title: 'Release 1.4',
    checkpoint: 'We are cutting a release.\nThe tag is set.',
    tail: ['User: go on', 'Assistant: ## done'],
    entities: ['Juniper', 'EX4300'],
    constraints: [constraintLine('Juniper', 'never reboot\nit by day')],
  });
  expect(block).toBe(
    [
      '## Inherited from Parent Session',
      '',
      'Release 1.4 (P)',
      'Checkpoint:',
      '  We are cutting a release.',
      '  The tag is set.',
      'Recent context:',
      '  User: go on',
      '  Assistant: ## done',
      'Focal entities: Juniper, EX4300',
      'Active constraints:',
      '  - Juniper: never reboot it by day',
    ].join('\n'),
  );
});

test('a checkpoint alone makes a block, a session without a title is an active one, nothing is nothing [signet 29]', () => {
  expect(renderContextBlock(nothing)).toBe(null);
  expect(renderContextBlock({ ...nothing, title: 'named' })).toBe(null);
  const block = renderContextBlock({ ...nothing, checkpoint: 'so far' });
  expect(block).toBe(
    '## Inherited from Parent Session\n\nactive session (P)\nCheckpoint:\n  so far',
  );
});

test('however much there is, the block keeps to its budget, and no part takes the room of another [signet 39]', () => {
  const long = 'words and words, '.repeat(70_000);
  const many = Array.from({ length: 400 }, (_, n) => ({
    entity: `thing ${n}`,
    content: `${n} ${long.slice(0, 2000)}`,
  }));
  for (const checkpoint of [long, long.replaceAll(', ', '\n'), '\n \n'.repeat(9000) + 'x']) {
    const block = renderContextBlock({
      sessionKey: 'k'.repeat(200),
      title: long,
      checkpoint,
      tail: tailOf(said('x\n'.repeat(5000)), 3000)!.lines,
      entities: many.map(({ entity }) => entity),
      constraints: many.map(({ entity, content }) => constraintLine(entity, content)),
    })!;
    expect(block.length).toBeLessThanOrEqual(limits.contextBlockCharsMax + 3000);
    for (const heading of ['Checkpoint:', 'Recent context:', 'Focal entities:'])
      expect(block).toContain(`\n${heading}`);
    expect(block).toMatch(/Active constraints:\n {2}- thing 0: 0[^]*\n {2}… and \d+ more$/);
  }
});

test('the tail is the last whole lines that fit [signet 21, 33]', () => {
  const turns = said('first\nsecond', 'third 😀😀\nfourth', 'fifth');
  const whole = 'User: first\nsecond\nAssistant: third 😀😀\nfourth\nUser: fifth';
  expect(tailOf(turns, 3000)).toEqual({
    ...{ lines: whole.split('\n'), turns: 3 },
  });
  for (let room = 0; room <= whole.length + 15; room += 1) {
    const tail = tailOf(turns, room)?.lines.join('\n') ?? '';
    const shown = tail.replaceAll(/^/gm, '  ').length;
    if (room > 2) expect(shown).toBeLessThanOrEqual(room + 2);
    const isWhole =
      tail === '' || whole.split('\n').some((_, at, all) => all.slice(at).join('\n') === tail);
    expect(isWhole || (tail.endsWith('…') && 'User: fifth'.startsWith(tail.slice(0, -1)))).toBe(
      true,
    );
    expect(tail).toBe(Buffer.from(tail).toString());
  }
});

test('a single line that does not fit is shown from its beginning, in whole characters [signet 33]', () => {
  for (const room of [20, 21, 22, 23]) {
    const [text = '', ...more] = tailOf(said('😀'.repeat(2000)), room)!.lines;
    expect(more).toEqual([]);
    expect(text).toMatch(/^User: (😀)+…$/u);
    expect(text.length).toBeLessThanOrEqual(room);
  }
});
