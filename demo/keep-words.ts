/** What whoever kept the demo's stack up is told: how it ends, and what stays on the disk. */

export function untilWords(home: string): string {
  return `It stays up until Ctrl-C, or: OFFSHOOT_HOME='${home}' npx offshoot down`;
}

/** A folder that somebody has named may hold more than the demo. */
export function leftWords(home: string, isOwnHome: boolean): string {
  const kept = `Its home is kept: ${home}`;
  return isOwnHome ? `${kept}\nNothing needs it any more; it may be deleted.` : kept;
}
