/** Every command line of README.md and of the pages on sessions and hooks is one that is understood as it stands there. */
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { expect, test } from '@jest/globals';
import { createProgram } from '../../cli/program.ts';
import type { Cli } from '../../cli/deps.ts';

const nowhere = { write: () => undefined, isTerminal: false, hasColor: false, columns: 80 };
const deps = { out: nowhere, err: nowhere, version: '0', now: Date.now, home: '/nonexistent' };

const pages = ['README.md', 'docs/sessions.md', 'docs/hooks.md'];

/** In blocks that have no language but the shell's. */
function commandLines(page: string): string[] {
  const text = readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8');
  const blocks = text.split(/^```/m).filter((_, index) => index % 2 === 1);
  return blocks
    .filter((block) => /^(?:sh)?\n/.test(block))
    .flatMap((block) => block.split('\n'))
    .flatMap(commandsIn)
    .flatMap((words) => (words[0] === 'npx' ? [words.slice(1)] : [words]))
    .flatMap(([program, ...words]) => (program === 'offshoot' ? [words.join('\n')] : []));
}

/** As the shell parts them: quotes hold together; a comment, and what a command is joined to, are none of it. */
function commandsIn(line: string): string[][] {
  const commands: string[][] = [[]];
  for (const [word] of line.matchAll(/(?:[^\s"';|()&]|"[^"]*"|'[^']*')+|[;|()&]+/g)) {
    if (word.startsWith('#')) break;
    if (/^(?:[;|()&]+|>)$/.test(word)) commands.push([]);
    else commands.at(-1)!.push(word.replaceAll(/["']/g, ''));
  }
  return commands;
}

const lines = [...new Set(pages.flatMap(commandLines))];

test('there are such lines', () => {
  expect(lines.length).toBeGreaterThan(25);
  expect(lines).toContain('transcript\nmy-session');
});

test.each(lines.map((line) => [line.replaceAll('\n', ' '), line]))(
  'offshoot %s',
  async (_, line) => {
    let ran: string | null = null;
    const action =
      () =>
      (...given: unknown[]) => {
        ran = (given.at(-1) as Command).name();
        return Promise.resolve();
      };
    const program = createProgram({ deps, action } as unknown as Cli);
    await program.parseAsync(line.split('\n'), { from: 'user' });
    expect(ran).not.toBeNull();
  },
);
