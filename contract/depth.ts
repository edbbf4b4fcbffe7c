import { limits } from './limits.ts';

/** Whether it is nested no deeper than may be: whoever goes through it calls itself for each level. */
export function isShallow(value: unknown, levels: number = limits.jsonLevelsMax): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((one) => isShallow(one, levels - 1));
}
