/** What `doctor` found: a line for each, and under it what to do. */
import type { Style } from './style.ts';

export interface Finding {
  name: string;
  isGood: boolean;
  detail: string;
  /** What to do, where it is not good. */
  remedy: string | null;
}

export function renderFindings(findings: readonly Finding[], style: Style): string {
  const width = Math.max(0, ...findings.map(({ name }) => name.length));
  const lines = findings.flatMap(({ name, isGood, detail, remedy }) => [
    `${isGood ? style.green('✓') : style.red('✗')} ${name.padEnd(width)}  ${detail}`,
    ...(remedy === null ? [] : [`${' '.repeat(width + 4)}${style.yellow('→')} ${remedy}`]),
  ]);
  const bad = findings.filter(({ isGood }) => !isGood).length;
  const sum = bad === 0 ? 'All is well.' : `${bad} of ${findings.length} need attention.`;
  return `${[...lines, '', sum].join('\n')}\n`;
}
