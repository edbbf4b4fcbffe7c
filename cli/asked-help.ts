/** `help engine build` as `engine build --help`: of more words than one Commander's own takes the first alone. */
import type { Command } from 'commander';

export function askedHelp(program: Command, args: readonly string[]): readonly string[] {
  if (args[0] !== 'help') return args;
  const known: string[] = [];
  let command = program;
  for (const word of args.slice(1).filter((one) => !one.startsWith('-'))) {
    const next = command.commands.find((one) => one.name() === word);
    // Given as a command, Commander says what is wrong with it. What ends a command's name may be its argument.
    if (!next && command.commands.length > 0) return [...known, word];
    if (!next) break;
    known.push(word);
    command = next;
  }
  return [...known, '--help'];
}
