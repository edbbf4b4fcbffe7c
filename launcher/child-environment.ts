import { childEnv } from '../contract/names.ts';

/**
 * The environment of our own processes. An `up` that an agent calls must not hand them the agent's
 * identity: they would act as that agent, and the sweep of its run would end them.
 */
export function childEnvironment(
  env: Record<string, string | undefined>,
  home: string,
): Record<string, string | undefined> {
  const agentOnly = new Set<string>(Object.values(childEnv));
  const kept = Object.entries(env).filter(([name]) => !agentOnly.has(name));
  return { ...Object.fromEntries(kept), OFFSHOOT_HOME: home };
}
