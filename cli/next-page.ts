/** The command that was given, as it can be typed again: with where to go on, or with what it lacked. */
import type { Command } from 'commander';

export function nextPage(command: Command, cursor: string): string {
  return `There are more: ${commandAgain(command, { cursor })}\n`;
}

/** `more` takes the place of what was given under the same names. */
export function commandAgain(command: Command, more: Record<string, string | true> = {}): string {
  const given = command.options.flatMap((option) => {
    const name = option.attributeName();
    if (name in more || command.getOptionValueSource(name) !== 'cli') return [];
    const value: unknown = command.getOptionValue(name);
    const flag = option.short ?? option.long!;
    if (value === true) return [flag];
    return [value].flat().flatMap((one) => [flag, String(one)]);
  });
  const added = Object.entries(more).flatMap(([name, value]) =>
    value === true ? [`--${name}`] : [`--${name}`, value],
  );
  const options = [...given, ...added];
  // What begins like an option is none only behind all of them.
  const isLikeOption = command.args.some((word) => word.startsWith('-'));
  const rest = isLikeOption ? [...options, '--', ...command.args] : [...command.args, ...options];
  return ['offshoot', ...namesOf(command), ...rest].map(forShell).join(' ');
}

/** Of one that is below another, both. */
function namesOf(command: Command): string[] {
  return command.parent === null ? [] : [...namesOf(command.parent), command.name()];
}

/** Quoted where the shell would read it otherwise. */
export function forShell(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
