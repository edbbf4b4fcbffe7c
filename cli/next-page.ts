/** The command that shows the next page: the one that was given, with where to go on. */
import type { Command } from 'commander';

export function nextPage(command: Command, cursor: string): string {
  const given = command.options.flatMap((option) => {
    const name = option.attributeName();
    if (name === 'cursor' || command.getOptionValueSource(name) !== 'cli') return [];
    const value: unknown = command.getOptionValue(name);
    const flag = option.short ?? option.long!;
    return value === true ? [flag] : [flag, String(value)];
  });
  const words = ['offshoot', command.name(), ...given, '--cursor', cursor];
  return `There are more: ${words.map(forShell).join(' ')}\n`;
}

function forShell(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
