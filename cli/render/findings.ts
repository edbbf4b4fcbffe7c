/** What `doctor` found: a line for each, and under it why it matters and what to do. */
import type { AppError } from '../../contract/errors.ts';
import { hintFor } from '../../contract/hints.ts';
import type { Style } from './style.ts';

export type Finding = Well | Ill;

interface Well {
  level: 'ok';
  name: string;
  what: string;
  why: null;
  remedy: null;
  fix?: never;
}

interface Ill {
  level: 'warning' | 'error';
  name: string;
  what: string;
  /** What follows from it. */
  why: string;
  remedy: string;
  /** Mends it, where that can be done without asking. Answers what was done. */
  fix?: () => Promise<string> | string;
}

export const well = (name: string, what: string): Well => ({
  level: 'ok',
  name,
  what,
  why: null,
  remedy: null,
});

export function ill(
  level: Ill['level'],
  name: string,
  found: Pick<Ill, 'what' | 'why' | 'remedy' | 'fix'>,
): Ill {
  return { level, name, ...found };
}

/** What an error says to do about it, in the words of the command line. Not each says something. */
export function remedyOf({ hint }: AppError, otherwise: string): string {
  return hintFor('cli', hint) ?? otherwise;
}

export function renderFindings(findings: readonly Finding[], style: Style): string {
  const width = Math.max(0, ...findings.map(({ name }) => name.length));
  const indent = ' '.repeat(width + 4);
  const signs = { ok: style.green('✓'), warning: style.yellow('!'), error: style.red('✗') };
  const lines = findings.flatMap(({ level, name, what, why, remedy }) => [
    `${signs[level]} ${name.padEnd(width)}  ${what}`,
    ...(why === null ? [] : [`${indent}${style.dim(why)}`]),
    ...(remedy === null ? [] : [`${indent}${style.yellow('→')} ${remedy}`]),
  ]);
  return `${[...lines, '', sumUp(findings)].join('\n')}\n`;
}

function sumUp(findings: readonly Finding[]): string {
  const count = (level: Finding['level']) => findings.filter((one) => one.level === level).length;
  const [errors, warnings] = [count('error'), count('warning')];
  if (errors + warnings === 0) return 'All is well.';
  const named = [
    ...(errors === 0 ? [] : [`${errors} error${errors === 1 ? '' : 's'}`]),
    ...(warnings === 0 ? [] : [`${warnings} warning${warnings === 1 ? '' : 's'}`]),
  ];
  const canFix = findings.some(({ fix }) => fix !== undefined);
  return `${named.join(', ')}.${canFix ? ' `offshoot doctor --fix` mends what can be mended safely.' : ''}`;
}
