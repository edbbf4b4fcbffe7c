/** What a hook reads of the environment; `readEnvironment` of contract/ would load every schema with it. */

export function readHookEnvironment(env: Record<string, string | undefined>) {
  return {
    home: env['OFFSHOOT_HOME'] || null,
    url: env['OFFSHOOT_URL'] || null,
    token: env['OFFSHOOT_TOKEN'] || null,
    noHooks: env['OFFSHOOT_NO_HOOKS'] || null,
  };
}
export type HookEnvironment = ReturnType<typeof readHookEnvironment>;

/** For programs that are run on behalf of something else, and whose hooks would report themselves. */
export function isOff({ noHooks }: HookEnvironment): boolean {
  return noHooks !== null && noHooks !== '0';
}
