/** On standard error, in the two lines of an error: what keeps the stack from being whole. It is up all the same. */
import { homePaths } from '../contract/home.ts';
import type { Health } from '../contract/system-records.ts';
import type { CliDeps } from './deps.ts';
import { troubleOf } from './render/stack.ts';

export async function tellTrouble(
  { home, err }: Pick<CliDeps, 'home' | 'err'>,
  health: Health,
): Promise<{ what: string } | null> {
  const { usesNamedEngine } = await import('../launcher/server-health.ts');
  const { logs } = homePaths(home);
  const trouble = troubleOf(health, { isNamed: usesNamedEngine(home, health), logs });
  if (trouble !== null) err.write(`offshoot: ${trouble.what}\n  ${trouble.remedy}\n`);
  return trouble;
}
